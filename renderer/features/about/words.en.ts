/** Words of the version and updates, in English. */
export const aboutEn = {
  about: {
    section: 'About',
    title: 'About Sidestage',
    version: 'Version {version}',
    shell: { electron: 'Desktop window', browser: 'In the browser' },
    updates: 'Newer versions',
    browser: 'The browser shell does not renew itself: fetch the newer source and start it again.',
    idle: 'There is no newer version.',
    unasked: 'Not looked yet.',
    checked: 'Looked at {time}.',
    checking: 'Looking for a newer version.',
    waiting: 'Version {version} is there. It is fetched when nothing is on air or recorded.',
    fetching: 'Fetching version {version}, {percent} %.',
    ready: 'Version {version} is ready. Installing it starts the app again.',
    failed: 'The newer version could not be had: {reason}. This version keeps running.',
    check: 'Look now',
    install: 'Install and start again',
    busy: 'Something is on air or being recorded. Install when it has ended.',
  },
}
