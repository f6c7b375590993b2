import type { Shape } from '../../format/message-shape.ts'
import type { roomHostedEn } from './words-hosted.en.ts'

/** Simplified Chinese. */
export const roomHostedZh: Shape<typeof roomHostedEn> = {
  roomHosted: {
    label: '发言来源',
    state: {
      off: '没有启动接收器：此聊天室的发言到不了本机。',
      failed: '接收器无法监听，收不到发言。',
      waiting: '正在等待此聊天室的第一条抄送。',
      receiving: '发言来自消息抄送，最近一条在 {ago}前。',
      stale: '{ago}没有抄送：聊天室没人发言，或抄送已中断。',
    },
    verified: '抄送已验证。',
    unverified: '抄送未验证：MD5 正确，但 {name} 的规范没有说明如何签名。',
    elsewhere: '{n} 条抄送属于没有添加到这里的聊天室。 | {n} 条抄送属于没有添加到这里的聊天室。',
    dropped: '{n} 条抄送无法读取。 | {n} 条抄送无法读取。',
    start: '启动接收器',
    settings: '打开接收器设置',
    details: '设置与限制',
    how: '在 {name} 服务商的设置中，把聊天室消息抄送（eventType 4）的地址填为以下地址。',
    address: '接收器地址',
    copyAddress: '复制地址',
    copied: '已复制',
    notCopied: '未能复制。请选中地址手动复制。',
    reach: '这是本机的地址。服务商访问不到时，请提供公网域名，或终点在本机的隧道。',
    missing: '{name} 不提供：',
    missingList: {
      history: '接收器启动之前的发言（每个聊天室在本机保留最近 2,000 条）',
      comings: '谁进入、谁离开；成员从列表读取',
      remove: '删除发言，以及他人的删除',
      held: '待审核的发言',
      lists: '禁言和拉黑名单',
      slow: '慢速模式',
    },
    nothing: '这里还没有收到此聊天室的发言。',
    comma: '；',
    end: '{list}。',
    phase: {
      connecting: '正在读取聊天室。',
      inside: '聊天室已开启。',
      waiting: '正在等待 {name}。',
      refused: '{name} 不提供此聊天室：{reason}。',
      off: '未读取此聊天室。',
    },
    seconds: '{n} 秒',
    minutes: '{n} 分钟',
    hours: '{n} 小时',
    days: '{n} 天',
  },
}
