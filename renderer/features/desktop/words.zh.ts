import type { desktopEn } from './words.en.ts'
import type { Shape } from '../../format/message-shape.ts'

/** Words of the desktop integration, in Simplified Chinese. */
export const desktopZh: Shape<typeof desktopEn> = {
  desktop: {
    section: '桌面',
    picture: '在聊天上方显示画面',
    noPicture: '隐藏画面',
    lead: 'Sidestage 的窗口不在前台时的行为。',
    absent: '在浏览器中运行时没有托盘、系统通知和全局按键。需要时请启动桌面窗口。',
    noTray: '此桌面没有托盘，关闭窗口即退出 Sidestage。直播中会先询问。',
    closeToTray: '在托盘中继续运行',
    closeToTrayText: '直播期间关闭窗口时，Sidestage 始终留在托盘中。',
    startAtLogin: '随电脑启动',
    startAtLoginText: '登录系统后在托盘中打开。',
    startFailed: '系统未接受此设置。',
    startAbsent: '此窗口从源代码运行，系统无法启动它。',
    notices: '通知',
    noticesAbsent: '此系统不显示通知。',
    kinds: {
      onAir: '频道开始直播',
      pushLost: '推流结束',
      recordingStopped: '录制自行停止',
      diskLow: '磁盘剩余空间少于 5 GB',
      signInFailed: '房管登录失败',
    },
    keys: {
      title: '在其他窗口中也有效',
      lead: '这些按键在任何窗口中都有效。Sidestage 运行期间，其他程序收不到它们。',
      wayland: '此桌面环境不会把在别处按下的键交给程序。',
      browser: '要在其他窗口中使用按键，请启动桌面窗口。',
      commands: {
        panic: '将打开的聊天室全员禁言，或解除',
        record: '录制正在直播的频道，或停止',
        show: '打开 Sidestage',
      },
      none: '无按键',
      press: '请按键',
      set: '无按键：{command}。选择按键',
      change: '{command}：{key}。选择其他按键',
      remove: '清除按键：{command}',
      unfit: '请用功能键，或与 Ctrl、Alt、⌘ 组合的键。',
      twice: '此处另一命令已使用 {key}。',
      room: '{key} 在聊天室中用于“{other}”。请选择其他按键，或先为它换一个键。',
      hides: '聊天室中的“{other}”也使用 {key}，因此收不到它。请为其中一个换一个键。',
      taken: '{key} 已被其他程序占用，在此无效。',
      works: '{key} 在所有窗口中有效。',
    },
  },
}
