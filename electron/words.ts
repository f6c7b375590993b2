import type { Settings } from '../contract/rpc/index.ts'

/** English texts of the tray, notifications and dialogs. */
const en = {
  lamp: { idle: 'Idle', live: 'ON AIR', recording: 'ON AIR, REC', fault: 'FAULT: the service does not answer' },
  held: 'HOLD',
  open: 'Open Sidestage',
  mute: (room: string) => `Mute “${room}”`,
  lift: (room: string) => `Lift the mute of “${room}”`,
  record: (channel: string) => `Record “${channel}”`,
  stopRecording: (channel: string) => `Stop recording “${channel}”`,
  quit: 'Quit',
  unnamed: 'a channel',
  notices: {
    onAir: (channel: string) => ['On air', `“${channel}” is on air.`],
    pushLost: (channel: string) => ['Off air', `The push of “${channel}” has ended.`],
    recordingStopped: (channel: string, space: boolean) => [
      'Recording stopped',
      space ? `“${channel}” is no longer recorded: the disk is full.` : `“${channel}” is no longer recorded.`,
    ],
    diskLow: (free: string) => ['Little disk space', `${free} GB are left for recordings.`],
    signInFailed: () => ['A moderator’s sign-in failed', 'Somebody tried to sign in and could not.'],
  },
  outcomes: {
    muted: (rooms: string) => ['Room muted', rooms],
    lifted: (rooms: string) => ['Room may speak again', rooms],
    recording: (channel: string) => ['Recording', channel],
    recordingEnds: (channel: string) => ['Recording ends', channel],
    failed: (about: string) => [
      'It did not work',
      about === '' ? 'Look in Sidestage.' : `${about}: look in Sidestage.`,
    ],
    noRoom: () => ['Nothing to mute', 'No room is open in Sidestage.'],
    noChannel: () => ['Nothing to record', 'No channel is on air.'],
  },
  hidden: ['Sidestage keeps running', 'You are on air. Its window is in the tray; start Sidestage again to see it.'],
  hiddenIdle: ['Sidestage keeps running', 'Its window is in the tray; start Sidestage again to see it.'],
  notStarted: {
    title: 'Sidestage could not start',
    disk: {
      full: (folder: string) => `The disk of ${folder} is full. Make room on it, then start Sidestage again.`,
      readOnly: (folder: string) =>
        `The disk of ${folder} can only be read. Make it writable, then start Sidestage again.`,
      denied: (folder: string) =>
        `You may not write into ${folder}. Give yourself the right to, then start Sidestage again.`,
      broken: (folder: string) => `The disk of ${folder} answers with errors. Check it, then start Sidestage again.`,
      notAFolder: (folder: string) =>
        `Something on the way to ${folder} is not a folder. Move it away, then start Sidestage again.`,
      absent: (folder: string) =>
        `The folder ${folder} is not there and cannot be made. Connect its disk, then start Sidestage again.`,
    },
    kept: 'Nothing was changed or deleted.',
    other: (reason: string) => `Start it again. If it fails again, report this: ${reason}`,
  },
  ask: {
    message: 'You are on air',
    detail: 'Quitting ends the broadcast of this computer’s service, every recording, and what goes on to targets.',
    stay: 'Stay',
    quit: 'Quit',
  },
}

/** The same texts in Simplified Chinese. */
const zh: typeof en = {
  lamp: { idle: '空闲', live: '直播中', recording: '直播中，录制中', fault: '故障：服务没有应答' },
  held: '画面保持中',
  open: '打开 Sidestage',
  mute: (room) => `将“${room}”全员禁言`,
  lift: (room) => `解除“${room}”的全员禁言`,
  record: (channel) => `录制“${channel}”`,
  stopRecording: (channel) => `停止录制“${channel}”`,
  quit: '退出',
  unnamed: '某频道',
  notices: {
    onAir: (channel) => ['直播开始', `“${channel}”正在直播。`],
    pushLost: (channel) => ['直播结束', `“${channel}”的推流已结束。`],
    recordingStopped: (channel, space) => [
      '录制已停止',
      space ? `“${channel}”已不再录制：磁盘已满。` : `“${channel}”已不再录制。`,
    ],
    diskLow: (free) => ['磁盘空间不足', `录制可用空间仅剩 ${free} GB。`],
    signInFailed: () => ['房管登录失败', '有人尝试登录但未成功。'],
  },
  outcomes: {
    muted: (rooms) => ['已全员禁言', rooms],
    lifted: (rooms) => ['已解除全员禁言', rooms],
    recording: (channel) => ['开始录制', channel],
    recordingEnds: (channel) => ['停止录制', channel],
    failed: (about) => ['操作未成功', about === '' ? '请在 Sidestage 中查看。' : `${about}：请在 Sidestage 中查看。`],
    noRoom: () => ['没有可禁言的聊天室', 'Sidestage 中没有打开的聊天室。'],
    noChannel: () => ['没有可录制的频道', '当前没有频道在直播。'],
  },
  hidden: ['Sidestage 仍在运行', '正在直播。窗口已收到托盘；再次启动 Sidestage 即可打开。'],
  hiddenIdle: ['Sidestage 仍在运行', '窗口已收到托盘；再次启动 Sidestage 即可打开。'],
  notStarted: {
    title: 'Sidestage 无法启动',
    disk: {
      full: (folder) => `${folder} 所在的磁盘已满。请腾出空间，然后重新启动 Sidestage。`,
      readOnly: (folder) => `${folder} 所在的磁盘为只读。请将其改为可写，然后重新启动 Sidestage。`,
      denied: (folder) => `没有 ${folder} 的写入权限。请授予权限，然后重新启动 Sidestage。`,
      broken: (folder) => `${folder} 所在的磁盘读写出错。请检查磁盘，然后重新启动 Sidestage。`,
      notAFolder: (folder) => `${folder} 的路径中有一项不是文件夹。请将其移走，然后重新启动 Sidestage。`,
      absent: (folder) => `文件夹 ${folder} 不存在且无法创建。请连接其磁盘，然后重新启动 Sidestage。`,
    },
    kept: '没有更改或删除任何内容。',
    other: (reason) => `请重新启动。如果仍然失败，请反馈以下信息：${reason}`,
  },
  ask: { message: '正在直播', detail: '退出会结束本机服务的直播、全部录制和转推。', stay: '留下', quit: '退出' },
}

/** Texts outside the page. */
export type Words = typeof en

/** The texts of a language; `system` follows the computer. */
export function wordsOf(language: Settings['language'] | undefined, system: string): Words {
  if (language === 'en' || language === 'zh') return language === 'zh' ? zh : en
  return /^zh\b/i.test(system) ? zh : en
}
