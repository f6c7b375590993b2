import type { Words } from '../../format/languages.ts'

/** Words of the receiver of message copies. */
export const copiesWords = {
  copies: {
    section: { en: 'Message copies', zh: '消息抄送' },
    title: { en: 'Receiver of message copies', zh: '消息抄送接收器' },
    lead: {
      en: 'The service sends a copy of each message, log-in and log-out to an address of yours. This app can receive and verify them, and knows duplicates.',
      zh: '服务会把每条消息、登录和登出抄送到你的地址。本应用可以接收并验证，也能识别重复。',
    },
    target: { en: 'Copies of this service', zh: '本服务的抄送' },
    unknown: { en: 'Not known while the service is down.', zh: '服务停止时无法得知。' },
    nowhere: { en: 'Copies go nowhere: no address is set.', zh: '未抄送：还没有设置地址。' },
    goesTo: { en: 'Copies go to', zh: '抄送到' },
    useHere: { en: 'Use this receiver', zh: '使用本接收器' },
    kinds: { en: 'Kinds', zh: '种类' },
    kind: {
      1: { en: 'Messages', zh: '消息' },
      2: { en: 'Log-ins', zh: '登录' },
      3: { en: 'Log-outs', zh: '登出' },
      4: { en: 'Room messages', zh: '聊天室消息' },
      other: { en: 'Other', zh: '其他' },
    },
    one: {
      1: { en: 'message', zh: '消息' },
      2: { en: 'log-in', zh: '登录' },
      3: { en: 'log-out', zh: '登出' },
      4: { en: 'room message', zh: '聊天室消息' },
      other: { en: 'unknown kind', zh: '未知种类' },
    },
    set: { en: 'Set address', zh: '设置地址' },
    end: { en: 'End copying', zh: '停止抄送' },
    reachable: {
      en: 'The service runs on another computer and must reach port {port} of this one. Enter the address in the settings of its provider.',
      zh: '服务在另一台计算机上，必须能访问本机的端口 {port}。请在服务商的设置中填写该地址。',
    },
    unverifiedLead: {
      en: 'How this service signs copies is not part of its specification. The MD5 of each copy is checked; its origin cannot be, so copies are shown as unverified.',
      zh: '该服务的规范没有说明如何签名抄送。每条抄送都会检查 MD5，但来源无法验证，因此显示为未验证。',
    },
    received: { en: 'Received by this app', zh: '本应用收到的' },
    all: { en: 'All', zh: '全部' },
    none: {
      en: 'Nothing was received yet. Start the receiver, set it as address, then send a message.',
      zh: '还没有收到。请启动接收器，设为地址，然后发送一条消息。',
    },
    ignored: {
      en: '{n} copy of an unknown kind since it listens | {n} copies of an unknown kind since it listens',
      zh: '监听以来有 {n} 条未知种类的抄送 | 监听以来有 {n} 条未知种类的抄送',
    },
    verdict: {
      accepted: { en: 'Accepted', zh: '已接受' },
      duplicate: { en: 'Duplicate', zh: '重复' },
      ignored: { en: 'Ignored', zh: '已忽略' },
      probe: { en: 'Address tried out', zh: '地址试探' },
      forged: { en: 'Forged, turned away', zh: '伪造，已拒绝' },
      unreadable: { en: 'Unreadable, turned away', zh: '无法解读，已拒绝' },
    },
    verified: { en: 'verified', zh: '已验证' },
    unverified: { en: 'unverified', zh: '未验证' },
  },
} satisfies Words
