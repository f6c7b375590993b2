import type { roomMediaEn } from './words-media.en.ts'

/** Simplified Chinese. */
export const roomMediaZh: typeof roomMediaEn = {
  roomMedia: {
    open: '录像中的这一秒',
    title: '{time} 这一秒',
    unlinked: '此聊天室没有关联频道，因此没有对应的录像。请将它关联到录像所属的频道。',
    running: '这一秒在正在录制的分片中。保持此框打开，分片结束后会自动播放。',
    runningCut:
      '这一秒在正在录制的分片中。保持此框打开，分片结束后会自动播放：推流结束时，或 {time} 之后的第一个关键帧。',
    ready: '这一秒现在已有文件。',
    openNow: '打开',
    none: '当时没有录制。',
    noneHosted: '列表中没有这个时间的文件。仍在录制的分片在切片后列出。',
    noneAtAll: '前后三天内都没有录制。',
    before: '之前：{name}，到 {time}',
    after: '之后：{name}，从 {time}',
    openBefore: '打开结尾',
    openAfter: '打开开头',
    hosted: '它在 {name} 的 {offset} 处。托管服务没有提供在此播放文件的方式。',
    chat: '{time} 的聊天',
    chatOf: '这一分钟的聊天',
    previous: '上一分钟',
    next: '下一分钟',
    playing: '正在播放：{time}',
    seek: '从 {time} 播放',
    noRoom: '此频道现在没有关联聊天室。请在“聊天室”或“演播”中关联，发言就会显示在这里。',
    quiet: '这一分钟没有人发言。',
    received: '仅包含本机收到的发言。',
    earlier: '这一分钟内还有 {n} 条更早的发言',
    later: '这一分钟内还有 {n} 条更晚的发言',
    removed: '已删除',
  },
}
