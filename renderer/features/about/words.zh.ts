import type { aboutEn } from './words.en.ts'
import type { Shape } from '../../format/message-shape.ts'

/** Words of the version and updates, in Simplified Chinese. */
export const aboutZh: Shape<typeof aboutEn> = {
  about: {
    section: '关于',
    title: '关于 Sidestage',
    version: '版本 {version}',
    shell: { electron: '桌面窗口', browser: '浏览器中运行' },
    updates: '新版本',
    browser: '在浏览器中运行时不会自动更新：请获取新的源代码后重新启动。',
    idle: '没有新版本。',
    unasked: '尚未查询。',
    checked: '上次查询：{time}。',
    checking: '正在查询新版本。',
    waiting: '有新版本 {version}。没有直播和录制时才会下载。',
    fetching: '正在下载版本 {version}，{percent}%。',
    ready: '版本 {version} 已就绪。安装后应用会重新启动。',
    failed: '无法获取新版本：{reason}。当前版本继续运行。',
    check: '立即查询',
    install: '安装并重新启动',
    busy: '正在直播或录制。请在结束后安装。',
  },
}
