<?php
add_action('after_setup_theme', function () {
    add_theme_support('woocommerce');
    add_theme_support('title-tag');
});
// The classic checkout prints names alone; the conformance kit reads SKUs, and units in digits.
add_filter(
    'woocommerce_checkout_cart_item_quantity',
    fn($html, $item) => sprintf(
        '<strong data-sku="%s" data-quantity="%d">%s</strong>',
        esc_attr($item['data']->get_sku()),
        $item['quantity'],
        $html
    ),
    10,
    2
);
