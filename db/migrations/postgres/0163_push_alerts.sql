-- Requests to follow have an alert of their own. Until now they were pushed as follows.
UPDATE push_subscriptions SET alerts = alerts || ' follow_request' WHERE ' ' || alerts || ' ' LIKE '% follow %';
