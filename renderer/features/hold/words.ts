import type { Words } from '../../format/languages.ts'

/** Words of hold and delay. */
export const holdWords = {
  hold: {
    title: { en: 'Hold', zh: '保持画面' },
    ready: { en: 'Ready, not in use', zh: '就绪，未使用' },
    off: { en: 'Off', zh: '已关闭' },
    upTo: { en: 'up to {time}', zh: '最长 {time}' },
    holding: { en: 'Holding', zh: '保持中' },
    lead: {
      en: 'If the encoder is lost, viewers keep the last picture for {time}.',
      zh: '编码器中断时，观众会继续看到最后的画面，最长 {time}。',
    },
    leadOff: {
      en: 'If the encoder is lost, the broadcast ends. Viewers and targets are disconnected.',
      zh: '编码器中断时，直播随即结束，观众和转推目标会断开。',
    },
    over: { en: 'Over, viewers later', zh: '已结束，观众稍后' },
    overLater: {
      en: 'The hold is over. Viewers see the picture go on at {time}.',
      zh: '保持已结束，观众将在 {time} 看到画面继续。',
    },
    lastUsed: { en: 'Last used {time}, {s} s.', zh: '上次使用 {time}，{s} 秒。' },
    lostNow: {
      en: 'The encoder is lost. Viewers see the last picture; the broadcast ends {time} unless it returns.',
      zh: '编码器已中断，观众看到的是最后的画面；若未恢复，直播将于 {time} 结束。',
    },
    byHand: {
      en: 'Viewers and targets see the last picture, at most until the encoder is stopped.',
      zh: '观众和转推目标看到的是最后的画面，最长到编码器停止为止。',
    },
    byHandOff: {
      en: 'Viewers and targets see the last picture, at most until the encoder is stopped or lost.',
      zh: '观众和转推目标看到的是最后的画面，最长到编码器停止或中断为止。',
    },
    lostLater: {
      en: 'The encoder is lost. Viewers see the last picture from {from}; the broadcast ends {time} unless it returns.',
      zh: '编码器已中断，观众从 {from} 起看到的是最后的画面；若未恢复，直播将于 {time} 结束。',
    },
    noPicture: {
      en: 'No picture is sent until Back to live, at most until the encoder is stopped.',
      zh: '在恢复直播之前不发送画面，最长到编码器停止为止。',
    },
    noPictureLost: {
      en: 'No picture is sent. The encoder is lost as well; the broadcast ends {time} unless it returns.',
      zh: '没有画面发送。编码器也已中断；若未恢复，直播将于 {time} 结束。',
    },
    noPictureSeen: {
      en: 'Who comes now sees black, who was watching may keep the last picture.',
      zh: '新来的观众看到黑屏，之前在看的观众可能停留在最后的画面。',
    },
    nextHeld: { en: 'Next push is held', zh: '下次推流会被保持' },
    nextHeldLead: {
      en: 'A push that begins before {time} stays held by hand: no picture is sent until Back to live.',
      zh: '{time} 之前开始的推流仍由你手动保持：在恢复直播之前不发送画面。',
    },
    endNext: { en: 'Do not hold it', zh: '不再保持' },
    recorded: { en: 'Recording goes on.', zh: '录制会继续。' },
    byHandLost: {
      en: 'Viewers see the last picture. The encoder is lost as well; the broadcast ends {time} unless it returns.',
      zh: '观众和转推目标看到的是最后的画面。编码器也已中断；若未恢复，直播将于 {time} 结束。',
    },
    now: { en: 'Hold now', zh: '立即保持' },
    back: { en: 'Back to live', zh: '恢复直播' },
    settings: { en: 'Hold and delay settings', zh: '保持与延迟设置' },
    delay: { en: 'Delay for viewers', zh: '观众延迟' },
    lowest: { en: 'Lowest', zh: '最低' },
    seconds: { en: '{n} s', zh: '{n} 秒' },
    minutes: { en: '{n} min', zh: '{n} 分钟' },
    other: { en: 'Other…', zh: '其他…' },
    otherIs: { en: '{time}…', zh: '{time}…' },
    reached: { en: 'reached, {n} s', zh: '已达到，{n} 秒' },
    growing: {
      en: 'growing to {of} s',
      zh: '正在增加到 {of} 秒',
    },
    growsLater: { en: 'grows to {of} s after Back to live', zh: '恢复直播后增加到 {of} 秒' },
    away: { en: 'none now: choose it again', zh: '当前没有延迟：请重新选择' },
    rest: { en: 'viewers see the rest, {n} s later', zh: '观众正在观看余下内容，延迟 {n} 秒' },
    next: { en: 'from the next push on', zh: '从下次推流起生效' },
    disk: {
      en: 'The disk is full or refuses: what memory does not hold is left out of the delayed picture. Make room on it.',
      zh: '磁盘已满或不可写：内存容纳不下的内容不会出现在延迟画面中。请腾出空间。',
    },
    dump: { en: 'Dump…', zh: '丢弃…' },
    dumped: { en: '{n} s were discarded. Nobody gets them.', zh: '已丢弃 {n} 秒，没有人会看到。' },
    form: {
      title: { en: 'Hold and delay', zh: '保持与延迟' },
      lead: { en: 'Both act at once and stay for later pushes.', zh: '立即生效，并用于之后的推流。' },
      hold: { en: 'Hold the picture when the encoder is lost', zh: '编码器中断时保持画面' },
      holdHelp: {
        en: 'Viewers, targets and recordings go on. An encoder that is stopped in order still ends the broadcast.',
        zh: '观众、转推和录制都会继续。编码器正常停止时仍会结束直播。',
      },
      never: { en: 'Off', zh: '关闭' },
      delay: { en: 'Delay for viewers and targets', zh: '观众与转推延迟' },
      delayHelp: {
        en: 'Up to 60 min. The preview and recordings have none. Beyond 20 s it takes room on the disk.',
        zh: '最长 60 分钟。预览和录制没有延迟。超过 20 秒会占用磁盘空间。',
      },
      delayFault: {
        en: 'A whole number of seconds or minutes, at most 60 min.',
        zh: '请填写整数的秒或分钟，最长 60 分钟。',
      },
      unit: { en: 'Unit', zh: '单位' },
      inSeconds: { en: 'seconds', zh: '秒' },
      inMinutes: { en: 'minutes', zh: '分钟' },
      save: { en: 'Save', zh: '保存' },
    },
    longer: {
      title: { en: 'Delay viewers by {time}?', zh: '观众延迟改为 {time}？' },
      body: {
        en: 'Targets are delayed too. Viewers and targets see a still picture until the delay is reached.',
        zh: '转推目标也会延迟。在达到此延迟之前，观众和转推目标看到的是静止画面。',
      },
      later: {
        en: 'If you choose a shorter delay later, the picture jumps ahead.',
        zh: '以后如果改为较短的延迟，画面会向前跳。',
      },
      once: { en: 'You are asked this only once.', zh: '此问题只会询问一次。' },
      action: { en: 'Delay', zh: '设置延迟' },
    },
    dumpAsk: {
      title: { en: 'Discard what viewers have not seen?', zh: '丢弃观众尚未看到的内容？' },
      bodyRest: {
        en: 'What is left of the push, at most {n} s, reaches nobody. Recordings keep everything.',
        zh: '推流余下的内容（最多 {n} 秒）不会送达任何观众和转推目标。录制会保留全部内容。',
      },
      body: {
        en: 'The last {n} s reach nobody. Viewers go on with the present. Recordings keep everything.',
        zh: '最近 {n} 秒不会送达任何观众和转推目标，他们将从现在的画面继续，延迟会重新增加。录制会保留全部内容。',
      },
      action: { en: 'Discard', zh: '丢弃' },
    },
  },
} satisfies Words
