-- Sign-ups are listed only to who asks for them, as reports are: the index of what is
-- listed by default leaves them out.
DROP INDEX notifications_listed;
CREATE INDEX notifications_listed ON notifications (account_id, id)
  WHERE NOT hidden AND type <> 'svc:chat_mention' AND type <> 'svc:report' AND type <> 'admin.sign_up';
