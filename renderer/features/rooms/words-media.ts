import type { Words } from '../../format/languages.ts'

/** Words of the chat beside a recording, and for the second of a line. */
export const roomMediaWords = {
  roomMedia: {
    open: { en: 'Second of the recording', zh: '录像中的这一秒' },
    title: { en: 'The second of {time}', zh: '{time} 这一秒' },
    unlinked: {
      en: 'This room is linked to no channel, so no recording belongs to it. Link it to the channel whose recordings it goes with.',
      zh: '此聊天室没有关联频道，因此没有对应的录像。请将它关联到录像所属的频道。',
    },
    running: {
      en: 'This second is in the slice that is being recorded. Keep this open, and it plays by itself when the slice ends.',
      zh: '这一秒在正在录制的分片中。保持此框打开，分片结束后会自动播放。',
    },
    runningCut: {
      en: 'This second is in the slice that is being recorded. Keep this open, and it plays by itself when the slice ends: with the push, or at the first key frame after {time}.',
      zh: '这一秒在正在录制的分片中。保持此框打开，分片结束后会自动播放：推流结束时，或 {time} 之后的第一个关键帧。',
    },
    ready: { en: 'This second is in a file now.', zh: '这一秒现在已有文件。' },
    openNow: { en: 'Open', zh: '打开' },
    none: { en: 'Nothing was recorded then.', zh: '当时没有录制。' },
    noneHosted: {
      en: 'No file of this time is listed. A slice that is still being recorded is listed after its cut.',
      zh: '列表中没有这个时间的文件。仍在录制的分片在切片后列出。',
    },
    noneAtAll: { en: 'Nothing was recorded within three days before or after it.', zh: '前后三天内都没有录制。' },
    before: { en: 'Before: {name}, until {time}', zh: '之前：{name}，到 {time}' },
    after: { en: 'After: {name}, from {time}', zh: '之后：{name}，从 {time}' },
    openBefore: { en: 'Open its end', zh: '打开结尾' },
    openAfter: { en: 'Open its start', zh: '打开开头' },
    hosted: {
      en: 'It is in {name}, at {offset}. A hosted service gives no way to play its files here.',
      zh: '它在 {name} 的 {offset} 处。托管服务没有提供在此播放文件的方式。',
    },
    chat: { en: 'Chat at {time}', zh: '{time} 的聊天' },
    chatOf: { en: 'Chat of this minute', zh: '这一分钟的聊天' },
    previous: { en: 'Minute before', zh: '上一分钟' },
    next: { en: 'Minute after', zh: '下一分钟' },
    playing: { en: 'Playing: {time}', zh: '正在播放：{time}' },
    seek: { en: 'Play from {time}', zh: '从 {time} 播放' },
    noRoom: {
      en: 'No room is linked to this channel now. Link one in the Room or in Studio, and its lines stand here.',
      zh: '此频道现在没有关联聊天室。请在“聊天室”或“演播”中关联，发言就会显示在这里。',
    },
    quiet: { en: 'Nobody said anything in this minute.', zh: '这一分钟没有人发言。' },
    received: { en: 'Only lines that were received on this computer.', zh: '仅包含本机收到的发言。' },
    earlier: {
      en: '{n} earlier line in this minute | {n} earlier lines in this minute',
      zh: '这一分钟内还有 {n} 条更早的发言',
    },
    later: {
      en: '{n} later line in this minute | {n} later lines in this minute',
      zh: '这一分钟内还有 {n} 条更晚的发言',
    },
    removed: { en: 'Removed', zh: '已删除' },
  },
} satisfies Words
