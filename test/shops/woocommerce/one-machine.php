<?php
// What a shop on the open internet does not have. Its mail goes nowhere, and its webhooks may go to any port of this machine.
add_filter('pre_wp_mail', '__return_true');
add_filter('http_request_host_is_external', '__return_true');
add_filter('http_allowed_safe_ports', fn($ports, $host, $url) => [...$ports, parse_url($url, PHP_URL_PORT)], 10, 3);
// It has two checkout pages: under the name localhost the classic one, else the block.
add_filter(
    'pre_option_woocommerce_checkout_page_id',
    fn($id) => str_starts_with($_SERVER['HTTP_HOST'], 'localhost') ? get_option('classic_checkout_page_id') : $id
);
