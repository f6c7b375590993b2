import type { Words } from '../../format/languages.ts'

/** Words of the desktop integration. */
export const desktopWords = {
  desktop: {
    section: { en: 'Desktop', zh: '桌面' },
    picture: { en: 'Picture above the chat', zh: '在聊天上方显示画面' },
    noPicture: { en: 'Hide the picture', zh: '隐藏画面' },
    lead: { en: 'What Sidestage does while its window is not in front.', zh: 'Sidestage 的窗口不在前台时的行为。' },
    absent: {
      en: 'In the browser Sidestage has no tray, no notifications and no keys of its own. Start the desktop window for these.',
      zh: '在浏览器中运行时没有托盘、系统通知和全局按键。需要时请启动桌面窗口。',
    },
    noTray: {
      en: 'This desktop has no place for a tray, so closing the window ends Sidestage. While something is on air it asks first.',
      zh: '此桌面没有托盘，关闭窗口即退出 Sidestage。直播中会先询问。',
    },
    closeToTray: { en: 'Keep running in the tray', zh: '在托盘中继续运行' },
    closeToTrayText: {
      en: 'While something is on air, closing the window always leaves Sidestage in the tray.',
      zh: '直播期间关闭窗口时，Sidestage 始终留在托盘中。',
    },
    startAtLogin: { en: 'Start with the computer', zh: '随电脑启动' },
    startAtLoginText: { en: 'Opens in the tray when you sign in.', zh: '登录系统后在托盘中打开。' },
    startFailed: { en: 'The system did not take this.', zh: '系统未接受此设置。' },
    startAbsent: {
      en: 'This window runs from source, which the system cannot start.',
      zh: '此窗口从源代码运行，系统无法启动它。',
    },
    notices: { en: 'Notifications', zh: '通知' },
    noticesAbsent: { en: 'This system shows no notifications.', zh: '此系统不显示通知。' },
    kinds: {
      onAir: { en: 'A channel goes on air', zh: '频道开始直播' },
      pushLost: { en: 'A push ends', zh: '推流结束' },
      recordingStopped: { en: 'A recording stops by itself', zh: '录制自行停止' },
      diskLow: { en: 'Less than 5 GB are left on the disk', zh: '磁盘剩余空间少于 5 GB' },
      signInFailed: { en: 'A moderator’s sign-in failed', zh: '房管登录失败' },
    },
    keys: {
      title: { en: 'Also from other windows', zh: '在其他窗口中也有效' },
      lead: {
        en: 'These keys work wherever you are. No other program gets them while Sidestage runs.',
        zh: '这些按键在任何窗口中都有效。Sidestage 运行期间，其他程序收不到它们。',
      },
      wayland: {
        en: 'This desktop hands no program keys that are pressed elsewhere.',
        zh: '此桌面环境不会把在别处按下的键交给程序。',
      },
      browser: {
        en: 'Keys that work from other windows need the desktop window.',
        zh: '要在其他窗口中使用按键，请启动桌面窗口。',
      },
      commands: {
        panic: { en: 'Mute the open rooms, or lift it', zh: '将打开的聊天室全员禁言，或解除' },
        record: { en: 'Record what is on air, or stop', zh: '录制正在直播的频道，或停止' },
        show: { en: 'Open Sidestage', zh: '打开 Sidestage' },
      },
      none: { en: 'No key', zh: '无按键' },
      press: { en: 'Press a key', zh: '请按键' },
      set: { en: 'No key: {command}. Choose one', zh: '无按键：{command}。选择按键' },
      change: { en: '{command}: {key}. Choose another key', zh: '{command}：{key}。选择其他按键' },
      remove: { en: 'Take the key away: {command}', zh: '清除按键：{command}' },
      unfit: { en: 'A function key, or a key with Ctrl, Alt or ⌘.', zh: '请用功能键，或与 Ctrl、Alt、⌘ 组合的键。' },
      twice: { en: 'Another command here has {key}.', zh: '此处另一命令已使用 {key}。' },
      room: {
        en: '{key} is “{other}” in the Room. Choose another key, or give that one another first.',
        zh: '{key} 在聊天室中用于“{other}”。请选择其他按键，或先为它换一个键。',
      },
      hides: {
        en: 'In the Room, “{other}” has {key} too and never gets it. Give one of them another key.',
        zh: '聊天室中的“{other}”也使用 {key}，因此收不到它。请为其中一个换一个键。',
      },
      taken: { en: 'Another program has {key}. It does nothing here.', zh: '{key} 已被其他程序占用，在此无效。' },
      works: { en: '{key} works from every window.', zh: '{key} 在所有窗口中有效。' },
    },
  },
} satisfies Words
