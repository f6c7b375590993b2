import type { Messages } from './messages.ts'
import type { recordingsEn } from './recordings-en.ts'

/** Simplified Chinese for recording, recorded files, merging and callbacks. */
export const recordingsZh: Pick<Messages, keyof typeof recordingsEn> = {
  recording: {
    title: '录制',
    every: '每次推流',
    settings: '录制设置…',
    settingsTitle: '录制 {name}',
    off: '推流不会被录制。',
    offLive: '本次推流没有录制。',
    asked: '下次推流将被录制。',
    askedLive: '将从下一个关键帧开始录制。',
    stopped: '录制已停止。',
    stoppedNext: '推流不受影响，条件恢复后会自动继续录制。',
    reason: {
      space: '磁盘空间即将用尽。',
      readonly: '录像文件夹不可写。',
      folder: '录像文件夹已不存在。',
      slow: '磁盘速度跟不上此推流。',
      error: '磁盘报告了故障。',
    },
    slices: '{format}，每片 {minutes} 分钟',
    room: '磁盘还可录制',
    hours: '{n} 小时',
    ready: '文件已就绪',
    hosted: '托管服务不提供大小和磁盘信息。',
    open: '在录像中打开',
    save: '保存',
    format: '格式',
    formatText: 'MP4 可以合并，FLV 不能。',
    minutes: '分片时长（分钟）',
    minutesHelp: '到时后从第一个关键帧开始新文件。',
    minutesFault: '请填写 {min} 到 {max} 之间的整数。',
    filename: '文件名',
    filenameHelp: '会加上起止时间。留空则使用频道 ID。',
    filenameFault: '名称中有不允许的字符。请使用中文、字母和数字。',
  },
}
