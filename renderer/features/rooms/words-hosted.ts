import type { Words } from '../../format/languages.ts'

/** Words of rooms of hosted profiles. */
export const roomHostedWords = {
  roomHosted: {
    label: { en: 'Where lines come from', zh: '发言来源' },
    state: {
      off: {
        en: 'No receiver is on: lines of this room do not reach this computer.',
        zh: '没有启动接收器：此聊天室的发言到不了本机。',
      },
      failed: { en: 'The receiver cannot listen, so no lines come.', zh: '接收器无法监听，收不到发言。' },
      waiting: { en: 'Waiting for the first copy of this room.', zh: '正在等待此聊天室的第一条抄送。' },
      receiving: {
        en: 'Lines come as message copies, the last one {ago} ago.',
        zh: '发言来自消息抄送，最近一条在 {ago}前。',
      },
      stale: {
        en: 'No copy for {ago}: the room is quiet, or copies no longer arrive.',
        zh: '{ago}没有抄送：聊天室没人发言，或抄送已中断。',
      },
    },
    verified: { en: 'Copies are verified.', zh: '抄送已验证。' },
    unverified: {
      en: 'Copies are unverified: their MD5 is right, but how {name} signs them is not part of its specification.',
      zh: '抄送未验证：MD5 正确，但 {name} 的规范没有说明如何签名。',
    },
    elsewhere: {
      en: '{n} copy was of a room that is not added here. | {n} copies were of rooms that are not added here.',
      zh: '{n} 条抄送属于没有添加到这里的聊天室。 | {n} 条抄送属于没有添加到这里的聊天室。',
    },
    dropped: {
      en: '{n} copy could not be read. | {n} copies could not be read.',
      zh: '{n} 条抄送无法读取。 | {n} 条抄送无法读取。',
    },
    start: { en: 'Start receiver', zh: '启动接收器' },
    settings: { en: 'Open receiver settings', zh: '打开接收器设置' },
    details: { en: 'Set-up and limits', zh: '设置与限制' },
    how: {
      en: 'In the settings of the provider of {name}, enter this address for copies of chatroom messages (eventType 4).',
      zh: '在 {name} 服务商的设置中，把聊天室消息抄送（eventType 4）的地址填为以下地址。',
    },
    address: { en: 'Address of the receiver', zh: '接收器地址' },
    copyAddress: { en: 'Copy address', zh: '复制地址' },
    copied: { en: 'Copied', zh: '已复制' },
    notCopied: { en: 'Not copied. Select the address and copy it by hand.', zh: '未能复制。请选中地址手动复制。' },
    reach: {
      en: 'It is an address of this computer. Where the provider cannot reach it, give a public name or a tunnel that ends here.',
      zh: '这是本机的地址。服务商访问不到时，请提供公网域名，或终点在本机的隧道。',
    },
    missing: { en: '{name} does not give:', zh: '{name} 不提供：' },
    missingList: {
      history: {
        en: 'lines from before the receiver was on (the last 2,000 of each room are kept here)',
        zh: '接收器启动之前的发言（每个聊天室在本机保留最近 2,000 条）',
      },
      comings: { en: 'who comes and goes; members are read from a list', zh: '谁进入、谁离开；成员从列表读取' },
      remove: { en: 'deleting a line, and deletions by others', zh: '删除发言，以及他人的删除' },
      held: { en: 'lines held for review', zh: '待审核的发言' },
      lists: { en: 'the lists of muted and blacklisted people', zh: '禁言和拉黑名单' },
      slow: { en: 'slow mode', zh: '慢速模式' },
    },
    nothing: { en: 'No line of this room was received here yet.', zh: '这里还没有收到此聊天室的发言。' },
    comma: { en: '; ', zh: '；' },
    end: { en: '{list}.', zh: '{list}。' },
    phase: {
      connecting: { en: 'Reading the room.', zh: '正在读取聊天室。' },
      inside: { en: 'The room is open.', zh: '聊天室已开启。' },
      waiting: { en: 'Waiting for {name}.', zh: '正在等待 {name}。' },
      refused: { en: '{name} does not give this room: {reason}.', zh: '{name} 不提供此聊天室：{reason}。' },
      off: { en: 'The room is not read.', zh: '未读取此聊天室。' },
    },
    seconds: { en: '{n} s', zh: '{n} 秒' },
    minutes: { en: '{n} min', zh: '{n} 分钟' },
    hours: { en: '{n} h', zh: '{n} 小时' },
    days: { en: '{n} d', zh: '{n} 天' },
  },
} satisfies Words
