import type { copiesEn } from './words.en.ts'
import type { Shape } from '../../format/message-shape.ts'

/** Words of the receiver of message copies, in Simplified Chinese. */
export const copiesZh: Shape<typeof copiesEn> = {
  copies: {
    section: '消息抄送',
    title: '消息抄送接收器',
    lead: '服务会把每条消息、登录和登出抄送到你的地址。本应用可以接收并验证，也能识别重复。',
    target: '本服务的抄送',
    unknown: '服务停止时无法得知。',
    nowhere: '未抄送：还没有设置地址。',
    goesTo: '抄送到',
    useHere: '使用本接收器',
    kinds: '种类',
    kind: { 1: '消息', 2: '登录', 3: '登出', 4: '聊天室消息', other: '其他' },
    one: { 1: '消息', 2: '登录', 3: '登出', 4: '聊天室消息', other: '未知种类' },
    set: '设置地址',
    end: '停止抄送',
    reachable: '服务在另一台计算机上，必须能访问本机的端口 {port}。请在服务商的设置中填写该地址。',
    unverifiedLead: '该服务的规范没有说明如何签名抄送。每条抄送都会检查 MD5，但来源无法验证，因此显示为未验证。',
    received: '本应用收到的',
    all: '全部',
    none: '还没有收到。请启动接收器，设为地址，然后发送一条消息。',
    ignored: '监听以来有 {n} 条未知种类的抄送 | 监听以来有 {n} 条未知种类的抄送',
    verdict: {
      accepted: '已接受',
      duplicate: '重复',
      ignored: '已忽略',
      probe: '地址试探',
      forged: '伪造，已拒绝',
      unreadable: '无法解读，已拒绝',
    },
    verified: '已验证',
    unverified: '未验证',
  },
}
