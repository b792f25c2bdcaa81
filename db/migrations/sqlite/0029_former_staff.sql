-- Who is neither admin nor moderator is told of no report, nor counts one that
-- they were told of while they were.
DELETE FROM notifications WHERE type = 'svc:report'
  AND account_id NOT IN (SELECT id FROM accounts WHERE is_admin OR is_moderator);
