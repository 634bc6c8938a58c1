// How Chromium is started. The suggestions of an address bar that nobody sees are pages too: without them, a new view
// takes half of the CPU time (0.6 instead of 1.4 s each, over ten views, with Chromium 156).

/** The first line is about the address bar. The others are Playwright's own, whose list this one replaces. */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['TcpPortRandomizationWin', 'ThirdPartyStoragePartitioning']
]

export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  `--disable-features=${DISABLED_FEATURES.join(',')}`
]
