import type { Words } from '../../format/languages.ts'

/** Words of the profiles and the appearance. */
export const settingsWords = {
  settings: {
    title: { en: 'Settings', zh: '设置' },
    sections: { en: 'Sections', zh: '分类' },
    group: {
      broadcast: { en: 'Broadcast', zh: '直播' },
      recording: { en: 'Recording', zh: '录制' },
      chat: { en: 'Chat', zh: '聊天' },
      people: { en: 'People', zh: '人员' },
      computer: { en: 'This computer', zh: '本机' },
      developers: { en: 'For developers', zh: '开发者' },
    },
    profiles: { en: 'Profiles', zh: '配置' },
    appearance: { en: 'Appearance', zh: '外观' },
    profilesLead: {
      en: 'A profile is a service that the screens drive: the one on this computer, or a hosted one that speaks the same API.',
      zh: '配置是各界面所使用的服务：本机服务，或使用相同接口的托管服务。',
    },
    add: { en: 'Add hosted profile', zh: '添加托管配置' },
    edit: { en: 'Edit', zh: '编辑' },
    remove: { en: 'Remove…', zh: '移除…' },
    use: { en: 'Use', zh: '使用' },
    inUse: { en: 'In use', zh: '使用中' },
    test: { en: 'Check', zh: '检查' },
    testing: { en: 'Checking', zh: '检查中' },
    tested: {
      en: '{n} channel, answered in {ms} ms | {n} channels, answered in {ms} ms',
      zh: '{n} 个频道，{ms} 毫秒应答',
    },
    checked: {
      en: 'The service answered: {n} channel. | The service answered: {n} channels.',
      zh: '服务已应答：{n} 个频道。',
    },
    secret: {
      keychain: { en: 'AppSecret in the keychain', zh: 'AppSecret 在钥匙串中' },
      session: { en: 'AppSecret in memory until Sidestage ends', zh: 'AppSecret 在内存中，退出后失效' },
      missing: { en: 'AppSecret missing', zh: '缺少 AppSecret' },
    },
    ownSecretHelp: {
      keychain: { en: 'It is kept by the operating system and never shown.', zh: '由操作系统保管，不再显示。' },
      session: {
        en: 'This computer has no keychain that works, so a new pair is made at each start. The channels stay.',
        zh: '本机没有可用的钥匙串，每次启动会换一对新密钥；频道保持不变。',
      },
      missing: { en: 'A new pair is made when the service starts again.', zh: '重新启动服务后会生成新的密钥。' },
    },
    secretHelp: {
      keychain: { en: 'It is kept by the operating system and never shown again.', zh: '由操作系统保管，不再显示。' },
      session: {
        en: 'This computer has no keychain that works, so it must be entered at each start.',
        zh: '本机没有可用的钥匙串，每次启动需重新填写。',
      },
      missing: { en: 'Edit the profile and enter it.', zh: '请编辑配置并填写。' },
    },
    localText: {
      en: 'Runs with Sidestage. Its keys are made and kept by the app.',
      zh: '随 Sidestage 运行。密钥由应用生成并保管。',
    },
    elsewhereText: {
      en: 'A Sidestage service elsewhere: shown like this computer, but for its files, its space and its reach.',
      zh: '在别处运行的 Sidestage 服务：除文件、空间和可达范围外，各界面与本机服务一样显示。',
    },
    noAddresses: { en: 'Not running', zh: '没有运行' },
    liveUrl: { en: 'Live base URL', zh: '直播基础地址' },
    messagingUrl: { en: 'Messaging base URL', zh: '消息基础地址' },
    appKey: { en: 'AppKey', zh: 'AppKey' },
    appSecret: { en: 'AppSecret', zh: 'AppSecret' },
    profileName: { en: 'Profile name', zh: '配置名称' },
    addTitle: { en: 'Add a hosted profile', zh: '添加托管配置' },
    editTitle: { en: 'Edit {name}', zh: '编辑 {name}' },
    check: { en: 'Check', zh: '检查' },
    saveAdd: { en: 'Add profile', zh: '添加配置' },
    notChosen: {
      en: '{name} was added. The screens stay at the profile before, because {name} does not answer as it should.',
      zh: '已添加 {name}。由于 {name} 未正常应答，界面仍使用之前的配置。',
    },
    saveEdit: { en: 'Save', zh: '保存' },
    secretNew: {
      en: 'Kept in the keychain of this computer and never shown again.',
      zh: '保存在本机钥匙串中，不再显示。',
    },
    secretNewSession: {
      en: 'Kept in memory until Sidestage ends, because there is no keychain here. Never shown again.',
      zh: '本机没有钥匙串，仅在内存中保留到 Sidestage 结束，不再显示。',
    },
    secretKeep: { en: 'Leave empty to keep the present one.', zh: '留空则保留现有的。' },
    secretAgain: {
      en: 'An address or the AppKey changed: enter the AppSecret again.',
      zh: '地址或 AppKey 已更改：请重新填写 AppSecret。',
    },
    removeTitle: { en: 'Remove {name}?', zh: '移除 {name}？' },
    removeBody: {
      en: 'Removed from this computer: the profile, its AppSecret, its signing key, tokens of its accounts, and what was received for it. Channels and recordings stay at the host; none of its recordings lie on this computer.',
      zh: '将从本机移除：配置、其 AppSecret、签名密钥、账号令牌，以及为它接收的内容。频道和录像留在主机；本机没有它的录像。',
    },
    removeNow: { en: 'Remove', zh: '移除' },
    plain: {
      en: 'Beyond this computer it needs https://. Without, whoever listens could act in your name.',
      zh: '本机以外的地址需要 https://。否则网络上的监听者可以冒用你的身份。',
    },
    urlBad: {
      en: 'Enter an address that begins with https:// or http://.',
      zh: '请填写以 https:// 或 http:// 开头的地址。',
    },
    needed: { en: 'Fill this in.', zh: '请填写。' },
    nameHint: { en: 'For you only', zh: '仅自己可见' },
    clockOff: { en: 'Clock', zh: '时间' },
    theme: { en: 'Theme', zh: '主题' },
    themeText: { en: 'Dark is made for a dim control room.', zh: '深色适合昏暗的控制室。' },
    themes: {
      dark: { en: 'Dark', zh: '深色' },
      light: { en: 'Light', zh: '浅色' },
      system: { en: 'As the system', zh: '跟随系统' },
    },
    language: { en: 'Language', zh: '语言' },
    languageText: { en: 'Sentences, dates and figures.', zh: '文字、日期和数字。' },
    languages: {
      en: { en: 'English', zh: 'English' },
      zh: { en: '简体中文', zh: '简体中文' },
      system: { en: 'As the system', zh: '跟随系统' },
    },
    about: { en: 'Sidestage {version}, {shell}', zh: 'Sidestage {version}，{shell}' },
    shells: {
      electron: { en: 'desktop window', zh: '桌面窗口' },
      browser: { en: 'in the browser', zh: '浏览器中' },
    },
  },
} satisfies Words
