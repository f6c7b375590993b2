import type { Words } from '../format/languages.ts'

/** Links in user text. */
export const linkWords = {
  link: {
    title: { en: 'Open this link?', zh: '打开此链接？' },
    body: {
      en: 'It leads to {host} and opens in the browser of this computer.',
      zh: '它通向 {host}，将在本机的浏览器中打开。',
    },
    encoded: {
      en: 'Its host has other letters than a to z. It may imitate another one.',
      zh: '主机名含有 a 到 z 以外的字母，可能在模仿别的网站。',
    },
    mixed: {
      en: 'Its host mixes letters of several scripts, as imitations do.',
      zh: '主机名混用了多种文字的字母，仿冒网站常这样做。',
    },
    number: {
      en: 'Its host is a number, not a name. It may be a device near you.',
      zh: '主机是数字地址，不是名称，可能是附近的设备。',
    },
    open: { en: 'Open', zh: '打开' },
  },
} satisfies Words
