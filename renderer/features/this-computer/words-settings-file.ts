import type { Words } from '../../format/languages.ts'

/** Words of the file of settings. */
export const settingsFileWords = {
  file: {
    title: { en: 'Settings as a file', zh: '设置文件' },
    lead: { en: 'To take them to another computer, or to keep them.', zh: '用于带到另一台电脑，或留作备份。' },
    includes: {
      en: 'Included: appearance, notifications, mute presets, keys, recording of new channels, hosted profiles without their AppSecret, layout.',
      zh: '包含：外观、通知、禁言时长、按键、新频道的录制方式、不含 AppSecret 的托管配置、布局。',
    },
    excludes: {
      en: 'Not included: secrets, channels, recordings, and what is set for this computer only: data folder, ports, public addresses, time zone, retention, receivers, moderators.',
      zh: '不包含：密钥、频道、录像，以及只属于本机的设置：数据文件夹、端口、公开地址、时区、保留期限、接收器、房管。',
    },
    export: { en: 'Export…', zh: '导出…' },
    exported: { en: 'Saved as {name}.', zh: '已保存为 {name}。' },
    import: { en: 'Import…', zh: '导入…' },
    pick: { en: 'File with settings', zh: '设置文件' },
    reset: { en: 'Reset…', zh: '重置…' },
    resetTitle: { en: 'Reset all settings?', zh: '重置所有设置？' },
    resetBody: {
      en: 'Appearance, notifications, mute presets, keys and recording of new channels become as they were at first. Profiles and what is set for this computer stay.',
      zh: '外观、通知、禁言时长、按键和新频道的录制方式恢复为最初的样子。配置和本机的设置保留。',
    },
    resetNow: { en: 'Reset', zh: '重置' },
    resetDone: { en: 'The settings are as they were at first.', zh: '设置已恢复为最初的样子。' },
    planTitle: { en: 'Import settings?', zh: '导入设置？' },
    planNone: {
      en: 'The file changes nothing: everything is so already.',
      zh: '此文件不改变任何设置：一切已是如此。',
    },
    planSome: { en: 'This changes:', zh: '将会更改：' },
    apply: { en: 'Import {n} change | Import {n} changes', zh: '导入 {n} 项更改' },
    applied: { en: 'Imported.', zh: '已导入。' },
    secretNeeded: {
      en: 'Profiles that were added need their AppSecret: open them under Profiles.',
      zh: '新添加的配置需要 AppSecret：请在“配置”中填写。',
    },
    column: {
      what: { en: 'What', zh: '项目' },
      before: { en: 'Now', zh: '现在' },
      after: { en: 'Then', zh: '之后' },
    },
    unset: { en: 'none', zh: '无' },
    first: { en: 'as at first', zh: '最初的' },
    profileAdded: { en: 'Added, without its AppSecret', zh: '添加，不含 AppSecret' },
    names: {
      theme: { en: 'Theme', zh: '主题' },
      language: { en: 'Language', zh: '语言' },
      mutePresets: { en: 'Mute presets', zh: '禁言时长' },
      roomKeys: { en: 'Keys in the Room', zh: '聊天室按键' },
      recording: { en: 'Recording of new channels', zh: '新频道的录制方式' },
      globalKeys: { en: 'Keys from other windows', zh: '其他窗口中的按键' },
      notices: { en: 'Notifications', zh: '通知' },
      startAtLogin: { en: 'Start with the computer', zh: '随电脑启动' },
      closeToTray: { en: 'Keep running in the tray', zh: '在托盘中继续运行' },
      roomPicture: { en: 'Picture above the chat', zh: '聊天上方的画面' },
    },
    profile: { en: 'Profile {name}', zh: '配置 {name}' },
    fault: {
      notJson: {
        en: 'This is no file of settings: it cannot be read as JSON. Nothing was changed.',
        zh: '这不是设置文件：无法按 JSON 读取。未做任何更改。',
      },
      notOurs: {
        en: 'This file was not written by Sidestage. Nothing was changed.',
        zh: '此文件不是 Sidestage 写的。未做任何更改。',
      },
      tooNew: {
        en: 'A newer Sidestage wrote this file. Update this one, then import it. Nothing was changed.',
        zh: '此文件由更新版本的 Sidestage 写成。请先更新，再导入。未做任何更改。',
      },
      unknown: {
        en: 'This Sidestage does not know “{where}” in the file. Nothing was changed.',
        zh: '此版本的 Sidestage 不认识文件中的“{where}”。未做任何更改。',
      },
      unfit: {
        en: 'What the file has at “{where}” is not possible. Nothing was changed.',
        zh: '文件中“{where}”的内容不可用。未做任何更改。',
      },
      profiles: {
        en: 'There would be more than 50 hosted profiles. Remove some, then import the file.',
        zh: '托管配置会超过 50 个。请先移除一些，再导入。',
      },
      tooLarge: {
        en: 'The file is too large for one of settings. Nothing was changed.',
        zh: '作为设置文件太大了。未做任何更改。',
      },
    },
  },
} satisfies Words
