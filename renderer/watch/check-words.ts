import { language } from './words.ts'

/** Texts of the page of a visit from outside. */
const texts = {
  title: { en: 'Does the stream work from here?', zh: '从这里能看到直播吗？' },
  running: {
    en: 'Keep this page open. The last check takes a minute.',
    zh: '请让此页面保持打开。最后一项检查需要一分钟。',
  },
  done: {
    en: 'Done. The streamer can see this. You can close the page.',
    zh: '检查完毕，主播已能看到结果。可以关闭此页面。',
  },
  used: {
    en: 'This link was used or is too old. Ask the streamer for a new one.',
    zh: '此链接已被使用或已过期。请向主播索取新的链接。',
  },
  address: { en: 'The address leads here', zh: '地址可以到达' },
  page: { en: 'The page opens', zh: '页面可以打开' },
  chat: { en: 'Chat connects', zh: '聊天可以连接' },
  hls: { en: 'Picture (HLS)', zh: '画面（HLS）' },
  flv: { en: 'Picture with low delay (HTTP-FLV)', zh: '低延迟画面（HTTP-FLV）' },
  waiting: { en: 'waiting', zh: '等待中' },
  passed: { en: 'works', zh: '正常' },
  failed: { en: 'does not work', zh: '不正常' },
  skipped: { en: 'not on air', zh: '未开播' },
  closed: { en: 'turned off for everybody by the streamer', zh: '主播已对所有人关闭' },
} as const satisfies Record<string, { readonly en: string; readonly zh: string }>

/** A text in the page's language. */
export const sayCheck = (word: keyof typeof texts): string => texts[word][language]
