import type { Words } from '../../format/languages.ts'

/** Words of the command palette. */
export const paletteWords = {
  palette: {
    screen: {
      messaging: { en: 'Messaging', zh: '消息' },
      accounts: { en: 'Messaging › Accounts', zh: '消息 › 账号' },
      teams: { en: 'Messaging › Teams', zh: '消息 › 群组' },
      console: { en: 'API console', zh: 'API 控制台' },
      profiles: { en: 'Settings › Profiles', zh: '设置 › 配置' },
      receivers: { en: 'Settings › Callbacks', zh: '设置 › 回调' },
      presets: { en: 'Settings › Room · Presets of a mute', zh: '设置 › 聊天室 · 禁言预设' },
      keys: { en: 'Settings › Keyboard · Keys of the Room', zh: '设置 › 键盘 · 聊天室按键' },
      appearance: { en: 'Settings › Appearance', zh: '设置 › 外观' },
    },
    title: { en: 'Search or run', zh: '搜索或执行' },
    placeholder: { en: 'Search channels, screens and actions', zh: '搜索频道、界面和操作' },
    empty: { en: 'Nothing matches “{query}”.', zh: '没有与“{query}”匹配的内容。' },
    nothing: { en: 'Nothing to show.', zh: '没有内容。' },
    go: { en: 'Go to', zh: '前往' },
    run: { en: 'Run', zh: '执行' },
    channels: { en: 'Open in Studio', zh: '在演播中打开' },
    copyKey: { en: 'Copy stream key', zh: '复制推流密钥' },
    copyUrl: { en: 'Copy push URL', zh: '复制推流地址' },
    mark: { en: 'Mark this second', zh: '标记这一秒' },
    goLive: { en: 'Go-live check', zh: '开播检查' },
    keyCopied: { en: 'Stream key copied', zh: '推流密钥已复制' },
    urlCopied: { en: 'Push URL copied', zh: '推流地址已复制' },
    marked: { en: 'This second is marked', zh: '已标记这一秒' },
    clipboard: {
      en: 'The clipboard did not take it. Allow it for this page and try again.',
      zh: '剪贴板未接受。请允许此页面使用剪贴板，然后重试。',
    },
    noChannel: { en: 'There is no channel to do this with. Create one first.', zh: '没有可操作的频道，请先创建频道。' },
    words: {
      copyKey: { en: 'copy key push OBS', zh: '复制 密钥 推流 copy key OBS' },
      copyUrl: { en: 'copy push address server OBS ffmpeg', zh: '复制 推流 地址 服务器 OBS ffmpeg' },
      mark: { en: 'marker bookmark highlight', zh: '标记 书签 mark' },
      goLive: { en: 'check everything test ready go live', zh: '检查 开播 go live' },
      theme: { en: 'theme appearance night day colours', zh: '主题 外观 深色 浅色 theme' },
      language: { en: 'language Chinese English 中文', zh: '语言 中文 英文 language English' },
    },
    toggleTheme: { en: 'Switch between dark and light', zh: '切换深色与浅色' },
    toggleLanguage: { en: 'Switch the language to 简体中文', zh: '将语言切换为 English' },
    obs: {
      connection: { en: 'Connection with OBS', zh: 'OBS 连接' },
      goLive: { en: 'Set up OBS and start', zh: '写入 OBS 并开始推流' },
      stop: { en: 'Stop OBS…', zh: '停止 OBS 推流…' },
    },
    switchTo: { en: 'Use profile {name}', zh: '使用配置 {name}' },
  },
} satisfies Words
