<?php
// What WP-Cron does within a minute: webhooks are sent. In the folder of the shop: php run-actions.php [ORDER STATUS]
require 'wp-load.php';
if (isset($argv[2])) wc_get_order($argv[1])->update_status($argv[2]);
// It stops after half a minute, whatever is left.
while (ActionScheduler::runner()->run('test') > 0);
