<?php
// What WP-Cron does within a minute: webhooks are sent. In the folder of the shop: php run-actions.php
require 'wp-load.php';
ActionScheduler::runner()->run('test');
