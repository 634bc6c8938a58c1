// Reserved paths: those of the server itself, and below each publicUrl those of the merchant's files.

/** The server's own paths, which no merchant may use. */
export const SERVER_PATHS = ['/healthz', '/simulator', '/favicon.ico']

/** The folder of pictures, below publicUrl and next to the feed. */
export const PICTURES_PATH = '/pictures'

/** Where logos from files are served, below publicUrl. */
export const LOGO_PATH = '/logo'
export const DARK_LOGO_PATH = '/logo-dark'

/** Where its JSON endpoints are described, below publicUrl. */
export const OPENAPI_PATH = '/openapi.json'

/** Where a merchant with its own shop reports orders, below publicUrl. */
export const ORDERS_PATH = '/orders'
