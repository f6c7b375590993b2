import { existsSync } from 'node:fs'

/** Debian's; where it is not there, as on Windows and macOS, the one that Playwright has brought. */
const debianBrowser = '/usr/bin/chromium-headless-shell'

/** How tests start Chromium. */
export const chromium = {
  // The engine without the windows of a browser, which nobody sees here: a fifth less work.
  ...(existsSync(debianBrowser) && { executablePath: debianBrowser }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--autoplay-policy=no-user-gesture-required',
  ],
}
