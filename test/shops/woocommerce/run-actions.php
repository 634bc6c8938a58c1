<?php
// What WP-Cron does within a minute: webhooks are sent; or what its staff does with an order.
// In the folder of the shop: php run-actions.php ORDER [STATUS]
require 'wp-load.php';
[, $order, $status] = [...$argv, null];
if ($status) {
    wc_get_order($order)->update_status($status);
    exit; // Only then are webhooks queued.
}
// Those of a new order are queued after its shopper has been answered.
$first = ['hook' => 'woocommerce_deliver_webhook_async', 'args' => ['webhook_id' => 1, 'arg' => (int) $order]];
while (!as_get_scheduled_actions($first, 'ids')) usleep(100_000);
// It stops after half a minute, whatever is left.
while (ActionScheduler::runner()->run('test') > 0);
