import type { Words } from '../../format/languages.ts'

/** Words of the version and updates. */
export const aboutWords = {
  about: {
    section: { en: 'About', zh: '关于' },
    title: { en: 'About Sidestage', zh: '关于 Sidestage' },
    version: { en: 'Version {version}', zh: '版本 {version}' },
    shell: {
      electron: { en: 'Desktop window', zh: '桌面窗口' },
      browser: { en: 'In the browser', zh: '浏览器中运行' },
    },
    updates: { en: 'Newer versions', zh: '新版本' },
    browser: {
      en: 'The browser shell does not renew itself: fetch the newer source and start it again.',
      zh: '在浏览器中运行时不会自动更新：请获取新的源代码后重新启动。',
    },
    idle: { en: 'There is no newer version.', zh: '没有新版本。' },
    unasked: { en: 'Not looked yet.', zh: '尚未查询。' },
    checked: { en: 'Looked at {time}.', zh: '上次查询：{time}。' },
    checking: { en: 'Looking for a newer version.', zh: '正在查询新版本。' },
    waiting: {
      en: 'Version {version} is there. It is fetched when nothing is on air or recorded.',
      zh: '有新版本 {version}。没有直播和录制时才会下载。',
    },
    fetching: { en: 'Fetching version {version}, {percent} %.', zh: '正在下载版本 {version}，{percent}%。' },
    ready: {
      en: 'Version {version} is ready. Installing it starts the app again.',
      zh: '版本 {version} 已就绪。安装后应用会重新启动。',
    },
    failed: {
      en: 'The newer version could not be had: {reason}. This version keeps running.',
      zh: '无法获取新版本：{reason}。当前版本继续运行。',
    },
    check: { en: 'Look now', zh: '立即查询' },
    install: { en: 'Install and start again', zh: '安装并重新启动' },
    busy: {
      en: 'Something is on air or being recorded. Install when it has ended.',
      zh: '正在直播或录制。请在结束后安装。',
    },
  },
} satisfies Words
