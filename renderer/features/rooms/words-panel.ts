import type { Words } from '../../format/languages.ts'

/** Words of the Room beside a picture and in its own window. */
export const roomPanelWords = {
  roomPanel: {
    dock: { en: 'Chat of the channel', zh: '频道的聊天' },
    open: { en: 'Chat', zh: '聊天' },
    reading: { en: 'Looking for the room of this channel.', zh: '正在查找该频道的聊天室。' },
    none: {
      en: 'Chat for viewers is off. When it is on, it stands here and on the watch page.',
      zh: '观众聊天已关闭。开启后，聊天显示在这里和观看页上。',
    },
    noHosted: {
      en: 'Chat for viewers is off. When it is on, it stands here.',
      zh: '观众聊天已关闭。开启后，聊天显示在这里。',
    },
    chat: {
      title: { en: 'Chat for viewers', zh: '观众聊天' },
      on: { en: 'Whoever can watch can read and write.', zh: '能观看的人都能读和发言。' },
      off: { en: 'Viewers see no chat.', zh: '观众看不到聊天。' },
      slow: { en: 'One line every {n} s.', zh: '每 {n} 秒一条。' },
      rules: { en: 'Rules', zh: '规则' },
      turnOn: { en: 'Turn on chat', zh: '开启聊天' },
      other: { en: 'Use another room', zh: '使用其他聊天室' },
      offTitle: { en: 'Turn off chat for viewers?', zh: '关闭观众聊天？' },
      people: { en: '{n} person is in it. | {n} people are in it.', zh: '里面有 {n} 人。' },
      offBody: {
        en: 'Viewers can no longer read or write. When you turn it on again, the same chat is back with its lines.',
        zh: '观众将不能再读或发言。再次开启后，同一聊天连同消息都会恢复。',
      },
      offDo: { en: 'Turn off chat', zh: '关闭聊天' },
    },
    popOut: { en: 'Open in a window of its own', zh: '在单独窗口中打开' },
    popOutAnswer: {
      blocked: {
        en: 'The browser did not open the window. Allow pop-ups for this address, then try again.',
        zh: '浏览器没有打开窗口。请允许此地址弹出窗口，然后重试。',
      },
      full: {
        en: 'Too many room windows are open. Close one, then try again.',
        zh: '打开的聊天室窗口太多。请关闭一个，然后重试。',
      },
      refused: { en: 'The window could not be opened. Try again.', zh: '窗口未能打开。请重试。' },
    },
    pin: { en: 'Keep above other windows', zh: '保持在其他窗口之上' },
    unpin: { en: 'Let other windows cover it', zh: '允许其他窗口遮住' },
    noPin: {
      en: 'This window cannot stay above others here: the browser and some desktops do not allow it.',
      zh: '此窗口无法保持在最前：浏览器和部分桌面环境不允许。',
    },
    perMinute: { en: 'Lines / min', zh: '每分钟消息' },
    active: { en: 'Speaking, hour', zh: '一小时内发言' },
    rate: { en: '{n} line a minute | {n} lines a minute', zh: '每分钟 {n} 条' },
    queueOf: { en: '{n} waiting', zh: '{n} 人在等待' },
    takeFirst: { en: 'Take first: {name}', zh: '取出第一位：{name}' },
    takeOut: { en: 'Take {name} out', zh: '将 {name} 移出' },
    outlasted: {
      en: '{name} is muted until {time} already, so nothing was changed.',
      zh: '{name} 已被禁言至 {time}，未做任何更改。',
    },
    shorten: { en: 'Shorten to {time}', zh: '缩短为 {time}' },
    not: {
      refused: { en: 'Not done: {what}.', zh: '未执行：{what}。' },
      unanswered: { en: 'Not known whether it was done: {what}.', zh: '不确定是否已执行：{what}。' },
      taken: { en: '{what}.', zh: '{what}。' },
    },
    taken: { en: '{name} was taken from the queue.', zh: '已从队列取出 {name}。' },
    lost: { en: 'Chat disconnected at {time}', zh: '聊天于 {time} 断开' },
    profileGone: {
      en: 'The service profile of this room was removed. Close this window.',
      zh: '此聊天室所属的服务配置已删除，请关闭此窗口。',
    },
    lostNow: { en: 'Chat disconnected', zh: '聊天已断开' },
    lostNext: { en: 'Missed lines are filled in after reconnecting.', zh: '重新连接后补上错过的消息。' },
    outside: { en: 'The app is not in this room', zh: '应用不在此聊天室内' },
    outsideNext: {
      en: 'Lines of viewers do not appear here. What you type stays in the field until the app is in the room.',
      zh: '此处不显示观众的发言。应用进入聊天室之前，输入的内容会留在输入框内。',
    },
    sayLater: { en: 'Sending resumes after reconnecting', zh: '重新连接后恢复发言' },
    newLines: { en: '{n} new line in the room | {n} new lines in the room', zh: '聊天室有 {n} 条新消息' },
    lifted: { en: 'The room is no longer muted.', zh: '全员禁言已解除。' },
    card: { en: 'Close the card', zh: '关闭资料卡' },
    channelDeleted: { en: 'The channel of this room was deleted.', zh: '该聊天室的频道已删除。' },
    noPicture: { en: 'No channel is linked to this room.', zh: '该聊天室没有关联频道。' },
  },
} satisfies Words
