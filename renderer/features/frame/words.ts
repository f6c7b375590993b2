import type { Words } from '../../format/languages.ts'
import { foundWords } from '../../ui/words-found.ts'
import { linkWords } from '../../ui/words-link.ts'
import { channelsWords } from '../channels/words.ts'
import { failureWords } from './words-failure.ts'
import { seatFailureWords } from './words-seat-failure.ts'
import { reasonWords } from './words-reason.ts'
import { databaseWords } from './words-database.ts'

/** Words of the frame and the first screen; other words are loaded with their screens (`groups.ts`). */
export const frameWords = {
  nav: {
    main: { en: 'Screens', zh: '界面' },
    channels: { en: 'Channels', zh: '频道' },
    studio: { en: 'Studio', zh: '演播' },
    recordings: { en: 'Recordings', zh: '录像' },
    room: { en: 'Room', zh: '聊天室' },
    join: { en: 'Moderate', zh: '房管' },
    messaging: { en: 'Messaging', zh: '消息' },
    console: { en: 'API', zh: 'API' },
    settings: { en: 'Settings', zh: '设置' },
    skip: { en: 'Skip to the screen', zh: '跳到内容' },
    skipChat: { en: 'Skip to the chat', zh: '跳到聊天' },
  },
  tally: {
    idle: { en: 'Idle', zh: '空闲' },
    armed: { en: 'Armed', zh: '待录制' },
    live: { en: 'On air', zh: '直播中' },
    recording: { en: 'Rec', zh: '录制中' },
    hold: { en: 'Hold', zh: '保持画面' },
    disabled: { en: 'Disabled', zh: '已停用' },
    fault: { en: 'Fault', zh: '故障' },
    none: { en: 'No channel yet', zh: '还没有频道' },
    unchosen: { en: 'No channel open', zh: '未打开频道' },
    unknown: { en: 'Not known', zh: '未知' },
    label: { en: 'Tally', zh: '状态' },
  },
  word: {
    cancel: { en: 'Cancel', zh: '取消' },
    close: { en: 'Close', zh: '关闭' },
    retry: { en: 'Try again', zh: '重试' },
    refresh: { en: 'Refresh', zh: '刷新' },
    details: { en: 'Details', zh: '详情' },
    copy: { en: 'Copy', zh: '复制' },
    copied: { en: 'Copied', zh: '已复制' },
    notCopied: {
      en: 'The clipboard did not take it. Allow it for this page and try again.',
      zh: '剪贴板未接受。请允许此页面使用剪贴板，然后重试。',
    },
    covered: {
      en: 'You are on air: what is secret stays covered in every window. Copying shows nothing.',
      zh: '正在直播：所有窗口都不显示密钥。复制时也不会显示。',
    },
    open: { en: 'Open', zh: '打开' },
    rename: { en: 'Rename…', zh: '重命名…' },
    renameNow: { en: 'Rename', zh: '重命名' },
    disable: { en: 'Disable', zh: '停用' },
    resume: { en: 'Resume', zh: '恢复' },
    disableAsk: { en: 'Disable…', zh: '停用…' },
    removeAsk: { en: 'Delete…', zh: '删除…' },
    off: { en: 'Off', zh: '关' },
    loading: { en: 'Loading', zh: '加载中' },
    code: { en: 'code', zh: '代码' },
    minutes: { en: '{n} min', zh: '{n} 分钟' },
    progress: { en: 'In progress', zh: '进行中' },
  },
  unit: {
    days: { en: '{n}d', zh: '{n} 天' },
    daysLong: { en: '{n} d', zh: '{n} 天' },
    kbps: { en: 'kbps', zh: 'kbps' },
    fps: { en: 'fps', zh: 'fps' },
    seconds: { en: 's', zh: 's' },
    frames: { en: 'frames', zh: '帧' },
  },
  title: {
    profile: { en: 'Profile', zh: '配置' },
    manageProfiles: { en: 'Manage profiles…', zh: '管理配置…' },
    search: { en: 'Search or run', zh: '搜索或执行' },
    minimize: { en: 'Minimize', zh: '最小化' },
    maximize: { en: 'Maximize or restore', zh: '最大化或还原' },
    close: { en: 'Close window', zh: '关闭窗口' },
    thisComputer: { en: 'This computer', zh: '本机' },
    openStudio: { en: 'Open {name} in Studio', zh: '在演播中打开 {name}' },
  },
  status: {
    label: { en: 'Status', zh: '状态栏' },
    running: { en: 'Service running', zh: '服务运行中' },
    starting: { en: 'Service starting', zh: '服务启动中' },
    busy: { en: 'Service busy', zh: '服务繁忙' },
    restarting: {
      en: 'Service restarting · attempt {attempt} of {attempts}',
      zh: '服务重启中 · 第 {attempt} / {attempts} 次',
    },
    stopped: { en: 'Service stopped', zh: '服务已停止' },
    unknown: { en: 'Service not known', zh: '服务状态未知' },
    hosted: { en: 'Using {host}', zh: '正在使用 {host}' },
    hostedWaiting: { en: 'Waiting for {host}', zh: '正在等待 {host}' },
    offline: { en: 'Not connected', zh: '未连接' },
    onAir: { en: '{n} on air', zh: '{n} 路直播' },
    onAirBefore: { en: '{n} on air before the fault', zh: '故障前 {n} 路直播' },
    noneOnAir: { en: 'None on air', zh: '无直播' },
    recording: { en: '{n} recording', zh: '{n} 个录制中' },
    unrecorded: { en: '{n} not recorded: stopped', zh: '{n} 个未录制：已停止' },
    showChannels: { en: 'Show in Channels', zh: '在频道列表中显示' },
    noChannels: { en: 'No channels', zh: '没有频道' },
    disk: { en: 'Disk {size} free', zh: '磁盘剩余 {size}' },
    diskFull: {
      en: 'The disk is full, or nearly: nothing is recorded. Make room.',
      zh: '磁盘已满或即将用尽，无法录制。请腾出空间。',
    },
    callbacks: { en: '{n} callback waiting | {n} callbacks waiting', zh: '{n} 个回调等待中 | {n} 个回调等待中' },
    portNote: {
      en: '{listener}: port {wanted} is taken, {used} is used',
      zh: '{listener}：端口 {wanted} 被占用，改用 {used}',
    },
    portNoteBy: {
      en: '{listener}: port {wanted} is taken by {holder}, {used} is used',
      zh: '{listener}：端口 {wanted} 被 {holder} 占用，改用 {used}',
    },
    portsMoved: { en: 'Ports moved: {listeners}', zh: '端口已改：{listeners}' },
    tallyAge: { en: 'Tallies {seconds} s old', zh: '状态为 {seconds} 秒前' },
  },
  download: {
    connecting: { en: 'Desktop window: connecting', zh: '桌面窗口：正在连接' },
    downloading: { en: 'Desktop window: {percent} %', zh: '桌面窗口：{percent} %' },
    received: { en: 'Desktop window: {size}', zh: '桌面窗口：{size}' },
    done: { en: 'Desktop window ready at the next start', zh: '桌面窗口下次启动可用' },
    failed: { en: 'Desktop window not fetched: {reason}', zh: '桌面窗口未能下载：{reason}' },
    cancel: { en: 'Cancel', zh: '取消' },
  },
  line: {
    connecting: { en: 'Connecting to Sidestage', zh: '正在连接 Sidestage' },
    lost: {
      en: 'The connection to Sidestage was lost. What is shown is from {time}.',
      zh: '与 Sidestage 的连接已断开。显示的是 {time} 的内容。',
    },
    lostNext: {
      en: 'It is trying again by itself. While Sidestage runs, a broadcast goes on without this page.',
      zh: '正在自动重连。只要 Sidestage 仍在运行，直播不受此页面影响。',
    },
    retry: { en: 'Connect now', zh: '立即连接' },
    unauthorizedTitle: { en: 'This page needs its link', zh: '此页面需要专用链接' },
    unauthorized: {
      en: 'Sidestage opens only for the link that {command} prints. Each link works once, within an hour.',
      zh: '只有 {command} 打印的链接才能打开 Sidestage。每个链接只能用一次，一小时内有效。',
    },
    unauthorizedNext: {
      en: 'Copy the newest link from the terminal into this browser. If it was used already or is older, run the command again: it prints a new one.',
      zh: '请把终端里最新的链接复制到此浏览器。若已用过或已过期，请再运行一次该命令，它会打印新的链接。',
    },
  },
  keys: {
    title: { en: 'Keys of every screen', zh: '所有页面的按键' },
    page: {
      palette: { en: 'Commands and screens', zh: '命令与页面' },
      create: { en: 'Create a channel', zh: '创建频道' },
      search: { en: 'Search (Channels, Recordings)', zh: '搜索（频道、录像）' },
      mark: { en: 'Set a mark while recording (Studio)', zh: '录制时打标记（演播）' },
      clip: { en: 'Clip the last 60 s (Studio)', zh: '剪辑最近 60 秒（演播）' },
      copyLink: { en: 'Copy the watch link (Studio)', zh: '复制观看链接（演播）' },
      trim: { en: 'Trim the file of the row (Recordings)', zh: '剪辑当前行的文件（录像）' },
      zoomIn: { en: 'Shorter time on the time line (Recordings)', zh: '放大时间线（录像）' },
      zoomOut: { en: 'Longer time on the time line (Recordings)', zh: '缩小时间线（录像）' },
      help: { en: 'These keys', zh: '显示这些按键' },
    },
  },
  blocker: {
    offline: { en: 'Possible when the page is connected to Sidestage again.', zh: '页面重新连接 Sidestage 后可用。' },
    down: { en: 'Possible when the service is back.', zh: '服务恢复后可用。' },
    host: { en: 'Possible when the service of this profile answers again.', zh: '此配置的服务恢复应答后可用。' },
  },
  service: {
    restarting: {
      en: 'The service is restarting. OBS connects again by itself; start ffmpeg again.',
      zh: '服务正在重启。OBS 会自动重新连接；ffmpeg 需要重新启动。',
    },
    restartingOnAir: {
      en: 'The service is restarting. Viewers see the last picture. OBS connects again by itself; start ffmpeg again.',
      zh: '服务正在重启。观众看到最后一帧。OBS 会自动重新连接；ffmpeg 需要重新启动。',
    },
    stopped: { en: 'The service has stopped and does not restart by itself.', zh: '服务已停止，不再自动重启。' },
    next: {
      en: 'Next attempt in {seconds} s, {n} attempt left. | Next attempt in {seconds} s, {n} attempts left.',
      zh: '{seconds} 秒后再次尝试，还剩 {n} 次。',
    },
    now: { en: 'Attempt {attempt} of {attempts} is running.', zh: '正在进行第 {attempt} / {attempts} 次尝试。' },
    nowByHand: { en: 'It is being started again.', zh: '正在重新启动。' },
    stoppedNext: { en: 'Open the log for the cause, then restart it.', zh: '请打开日志查看原因，然后重启。' },
    noReason: { en: 'It ended without giving a reason.', zh: '服务退出时没有给出原因。' },
    busy: { en: 'The service is busy and answers late.', zh: '服务繁忙，响应较慢。' },
    busyNext: {
      en: 'While it works it is not restarted, so that the broadcast goes on. Lists and chat may come late.',
      zh: '只要仍在工作，服务就不会重启，以便直播继续。列表和聊天可能延迟。',
    },
    moving: {
      en: 'The data folder is being moved. The service starts again when that is done.',
      zh: '数据文件夹正在移动。完成后服务会重新启动。',
    },
    movingLink: { en: 'Look at the move', zh: '查看移动' },
    restart: { en: 'Restart now', zh: '立即重启' },
    openLog: { en: 'Open log', zh: '打开日志' },
    logTitle: { en: 'Log of the service', zh: '服务日志' },
    logEmpty: { en: 'The log has no lines yet.', zh: '日志还没有内容。' },
    logCopy: { en: 'Copy the log', zh: '复制日志' },
    logNote: {
      en: 'Last lines, newest at the end. Secrets are never written to it.',
      zh: '最近的日志，最新的在最后。日志中不含密钥。',
    },
  },
  fault: {
    page: {
      title: { en: 'Something in this page went wrong.', zh: '此页面出现故障。' },
      text: {
        en: 'The stream is not affected. Reload the page if something does not answer; the console of the browser has the cause.',
        zh: '直播不受影响。若有部分没有反应，请重新加载页面；原因记录在浏览器控制台中。',
      },
    },
    part: {
      title: { en: 'A part of this page could not be loaded.', zh: '此页面有一部分未能加载。' },
      text: {
        en: 'The stream is not affected. Reload the page: what was not loaded is fetched again.',
        zh: '直播不受影响。请重新加载页面，未加载的部分会重新获取。',
      },
    },
    reload: { en: 'Reload the page', zh: '重新加载页面' },
    screen: { en: 'This screen cannot be shown.', zh: '此界面无法显示。' },
    screenNext: {
      en: 'The stream is not affected. Show it again, or go to another screen.',
      zh: '直播不受影响。请重新显示，或前往其他界面。',
    },
    again: { en: 'Show again', zh: '重新显示' },
  },
  unwritten: {
    title: { en: 'Taken back, but not saved yet: {names}', zh: '已收回，但尚未保存：{names}' },
    full: {
      en: 'It is in force. The disk is full, so it could not be saved: make room. Sidestage tries again by itself.',
      zh: '收回已生效。磁盘已满，未能保存：请腾出空间，Sidestage 会自动重试。',
    },
    other: {
      en: 'It is in force, but could not be saved: {reason}. Sidestage tries again by itself.',
      zh: '收回已生效，但未能保存：{reason}。Sidestage 会自动重试。',
    },
    lasting: { en: 'It stays in force when Sidestage is started again.', zh: '重新启动 Sidestage 后仍然有效。' },
    passing: {
      en: 'Do not quit before it is saved: after a restart they could come in again, and have to be taken back once more.',
      zh: '保存之前请勿退出：重启后对方可能再次进入，届时需要重新收回。',
    },
    service: { en: 'Something was taken back, but not saved yet', zh: '有内容已收回，但尚未保存' },
    database: { en: 'the database refused it', zh: '数据库拒绝写入' },
    undone: {
      en: 'Do not quit or restart before it is saved: that undoes it, and who was shut out could come in again.',
      zh: '保存之前请勿退出或重启：否则会撤销收回，被拒之人可能再次进入。',
    },
  },
  ...databaseWords,
  kept: {
    notice: {
      en: '{n} thing was set aside instead of being deleted ({size}). | {n} things were set aside instead of being deleted ({size}).',
      zh: '有 {n} 项内容被隔离，没有删除（{size}）。',
    },
    show: { en: 'Show', zh: '查看' },
    dismiss: { en: 'Dismiss this notice', zh: '关闭此提示' },
  },
  ...failureWords,
  ...seatFailureWords,
  ...reasonWords,
  ...channelsWords,
  ...foundWords,
  ...linkWords,
  toast: {
    label: { en: 'Notification', zh: '通知' },
    created: { en: '{name} was created', zh: '{name} 已创建' },
    air: {
      offAir: { en: '{name} went off air', zh: '{name} 已停播' },
      offAirAt: { en: 'At {time}.', zh: '时间 {time}。' },
      noPicture: { en: '{name} sends no picture', zh: '{name} 没有画面' },
      noPictureAt: { en: 'Since {time}. It is still on air.', zh: '自 {time} 起，直播仍在进行。' },
      notRecorded: { en: '{name} is no longer recorded', zh: '{name} 已停止录制' },
      notRecordedAt: {
        en: 'Recording stopped at {time}. It is still on air.',
        zh: '录制于 {time} 停止，直播仍在进行。',
      },
    },
    callback: {
      accepted: { en: 'Callback received: a file is ready', zh: '收到回调：文件已就绪' },
      refused: { en: 'A callback was refused: its signature is not right', zh: '回调被拒绝：签名不正确' },
    },
  },
} satisfies Words
