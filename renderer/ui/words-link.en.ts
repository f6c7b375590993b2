/** Links in user text, in English. */
export const linkEn = {
  link: {
    title: 'Open this link?',
    body: 'It leads to {host} and opens in the browser of this computer.',
    encoded: 'Its host has other letters than a to z. It may imitate another one.',
    mixed: 'Its host mixes letters of several scripts, as imitations do.',
    number: 'Its host is a number, not a name. It may be a device near you.',
    open: 'Open',
  },
} as const
