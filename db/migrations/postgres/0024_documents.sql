-- What people answered to their own posts, by post.
CREATE INDEX statuses_own_replies ON statuses (in_reply_to_id, id) WHERE in_reply_to_account_id = account_id;
