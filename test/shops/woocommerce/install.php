<?php
// What the first page of a new WordPress does, and what its owner does next. In its folder: php install.php
define('WP_INSTALLING', true);
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Test Shop', 'admin', 'owner@example.com', true, '', 'local-only');
update_option('template', 'plain');
update_option('stylesheet', 'plain');
update_option('permalink_structure', '/%postname%/');
update_option('active_plugins', ['woocommerce/woocommerce.php']);
