import type { Words } from '../../format/languages.ts'

/** Words of broadcasts among the recordings, and of what is chosen there. */
export const groupsWords = {
  groups: {
    show: { en: 'Show', zh: '场次' },
    channel: { en: 'Channel', zh: '频道' },
    state: { en: 'State', zh: '状态' },
    part: { en: 'Part {n}', zh: '第 {n} 段' },
    clip: { en: 'Clip', zh: '剪辑' },
    files: { en: '{n} file | {n} files', zh: '{n} 个文件 | {n} 个文件' },
    clips: { en: '{n} clip | {n} clips', zh: '{n} 个剪辑 | {n} 个剪辑' },
    onAir: { en: 'on air', zh: '直播中' },
    notRecorded: { en: 'not recorded', zh: '未录制' },
    channelDeleted: { en: 'channel deleted', zh: '频道已删除' },
    deleted: { en: 'Deleted channel', zh: '已删除的频道' },
    chooseAll: { en: 'Choose all of {title}', zh: '选择 {title} 的全部文件' },
    summary: { en: 'Summary', zh: '总结' },
    summaryOf: { en: 'Summary of {title}', zh: '{title} 的总结' },
    missing: { en: 'Moved or deleted outside Sidestage', zh: '已在 Sidestage 之外移动或删除' },
    forget: { en: 'Forget', zh: '移除记录' },
    forgetThis: { en: 'Forget {name}', zh: '移除 {name} 的记录' },
    forgetAsk: { en: 'Forget…', zh: '移除记录…' },
    forgetTitle: { en: 'Forget {name}?', zh: '移除 {name} 的记录？' },
    forgetBody: {
      en: 'The file is not in its place on the disk. If it was moved, it stays where it is now; the list of recordings no longer has it.',
      zh: '文件已不在磁盘上原来的位置。如果只是被移动，它会留在新的位置；录像列表不再显示它。',
    },
    search: { en: 'Title, file, marker', zh: '标题、文件、标记' },
    searchLabel: { en: 'Search titles, file names and markers', zh: '搜索标题、文件名和标记' },
    noHit: { en: 'Nothing with “{query}” in this time.', zh: '这段时间没有包含“{query}”的内容。' },
    markersFound: { en: 'Markers that were found', zh: '找到的标记' },
    chosen: { en: '{n} chosen | {n} chosen', zh: '已选 {n} 个 | 已选 {n} 个' },
    bar: { en: 'Chosen files', zh: '已选文件' },
    merge: { en: 'Merge…', zh: '合并…' },
    mergeNeedsTwo: { en: 'Choose two files or more to merge them.', zh: '请选择两个或更多文件进行合并。' },
    mergeFlv: { en: 'FLV files cannot be merged. Leave them out.', zh: 'FLV 文件不能合并，请取消选择。' },
  },
} satisfies Words
