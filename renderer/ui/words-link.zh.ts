import type { linkEn } from './words-link.en.ts'

/** Links in user text, in Simplified Chinese. */
export const linkZh: { readonly link: { readonly [K in keyof typeof linkEn.link]: string } } = {
  link: {
    title: '打开此链接？',
    body: '它通向 {host}，将在本机的浏览器中打开。',
    encoded: '主机名含有 a 到 z 以外的字母，可能在模仿别的网站。',
    mixed: '主机名混用了多种文字的字母，仿冒网站常这样做。',
    number: '主机是数字地址，不是名称，可能是附近的设备。',
    open: '打开',
  },
}
