import type { Words } from '../../format/languages.ts'

/** Words of the support bundle. */
export const supportBundleWords = {
  supportBundle: {
    section: { en: 'Support', zh: '支持' },
    title: { en: 'Support bundle', zh: '支持包' },
    lead: {
      en: 'When something does not work, a support bundle tells whoever helps you what this app saw. It is one ZIP file that you look through, save and pass on yourself. Nothing is sent.',
      zh: '出现问题时，支持包能让帮助你的人了解本应用看到的情况。它是一个 ZIP 文件，由你自己查看、保存和转交。应用不会发送任何内容。',
    },
    goesIn: { en: 'What goes in', zh: '包含的内容' },
    stays: { en: 'What never goes in', zh: '绝不包含的内容' },
    never: {
      secrets: {
        en: 'AppSecret, AppKey, account tokens, signing keys, the password of OBS',
        zh: 'AppSecret、AppKey、账号 token、签名密钥、OBS 的密码',
      },
      push: { en: 'Push keys and push addresses', zh: '推流密钥和推流地址' },
      seats: {
        en: 'Invitation codes, sessions and the private key of the certificate',
        zh: '邀请码、登录会话和证书的私钥',
      },
      content: { en: 'Chat lines, messages, recordings and uploaded files', zh: '聊天内容、消息、录像和上传的文件' },
      person: {
        en: 'Your home folder; of addresses on the internet only the beginning',
        zh: '你的主目录；互联网地址只保留开头',
      },
    },
    names: {
      en: 'Log lines may name channels, rooms and accounts. Read the parts before you pass them on.',
      zh: '日志中可能出现频道、聊天室和账号的名称。转交前请先查看各部分。',
    },
    gather: { en: 'Gather the parts', zh: '收集各部分' },
    again: { en: 'Gather again', zh: '重新收集' },
    save: { en: 'Save ZIP', zh: '保存 ZIP' },
    saved: { en: '{name}.zip was handed to the download.', zh: '{name}.zip 已交给下载。' },
    parts: { en: 'Parts of the bundle', zh: '支持包的各部分' },
    sum: {
      en: '{n} part, {size}, gathered at {time} | {n} parts, {size}, gathered at {time}',
      zh: '共 {n} 个部分，{size}，收集于 {time}',
    },
    removed: {
      en: 'Nothing had to be taken out | 1 text taken out | {n} texts taken out',
      zh: '无需移除内容 | 已移除 1 处 | 已移除 {n} 处',
    },
    cut: { en: 'Shortened', zh: '已截短' },
    empty: { en: 'Empty', zh: '空' },
    about: {
      app: { en: 'Versions, system and what this shell can do', zh: '版本、系统和当前外壳的能力' },
      settings: { en: 'Settings of the app', zh: '应用设置' },
      profiles: { en: 'Profiles: names and addresses, without keys', zh: '配置：名称和地址，不含密钥' },
      service: { en: 'State of the service', zh: '服务状态' },
      serviceLog: { en: 'Last lines of the service’s log', zh: '服务日志的最后几行' },
      appLog: { en: 'Last lines of the app’s own log', zh: '应用自身日志的最后几行' },
      listeners: { en: 'Listeners: ports, and which use TLS', zh: '监听端口，以及哪些使用 TLS' },
      obs: { en: 'State of the OBS connection', zh: 'OBS 连接状态' },
      data: { en: 'Data folder: counts, sizes, free disk', zh: '数据文件夹：数量、大小、剩余磁盘空间' },
      keychain: { en: 'Where secrets are kept', zh: '密钥的保存位置' },
      health: { en: 'Health of pushes in the last 10 minutes', zh: '最近 10 分钟的推流健康情况' },
    },
    readMe: { en: 'Support bundle of Sidestage, gathered {time}', zh: 'Sidestage 支持包，收集于 {time}' },
  },
} satisfies Words
