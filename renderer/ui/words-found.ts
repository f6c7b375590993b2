import type { Words } from '../format/languages.ts'

/** Faults of a value that the service found, at its field. */
export const foundWords = {
  found: {
    past: { en: 'This time is past. Choose one to come.', zh: '该时间已过，请选择将来的时间。' },
    ownAddress: {
      en: 'This is an address of this service, which sends nothing to itself.',
      zh: '这是本服务自己的地址，不会向自己转推。',
    },
    targetAddress: {
      en: 'An address such as rtmp://live.example.com/app, without the key',
      zh: '例如 rtmp://live.example.com/app 的地址，不含推流码',
    },
    publicAddress: {
      en: 'An address such as https://live.example.com',
      zh: '例如 https://live.example.com 的地址',
    },
    spaces: { en: 'It has spaces or control characters.', zh: '含有空格或控制字符。' },
    pair: { en: 'A certificate and its private key are given together.', zh: '证书和私钥须一起填写。' },
    other: { en: 'The service does not accept this value.', zh: '服务不接受该值。' },
  },
} satisfies Words
