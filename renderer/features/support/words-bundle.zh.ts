import type { Shape } from '../../format/message-shape.ts'
import type { supportBundleEn } from './words-bundle.en.ts'

/** Words of the support bundle, in Simplified Chinese. */
export const supportBundleZh: Shape<typeof supportBundleEn> = {
  supportBundle: {
    section: '支持',
    title: '支持包',
    lead: '出现问题时，支持包能让帮助你的人了解本应用看到的情况。它是一个 ZIP 文件，由你自己查看、保存和转交。应用不会发送任何内容。',
    goesIn: '包含的内容',
    stays: '绝不包含的内容',
    never: {
      secrets: 'AppSecret、AppKey、账号 token、签名密钥、OBS 的密码',
      push: '推流密钥和推流地址',
      seats: '邀请码、登录会话和证书的私钥',
      content: '聊天内容、消息、录像和上传的文件',
      person: '你的主目录；互联网地址只保留开头',
    },
    names: '日志中可能出现频道、聊天室和账号的名称。转交前请先查看各部分。',
    gather: '收集各部分',
    again: '重新收集',
    save: '保存 ZIP',
    saved: '{name}.zip 已交给下载。',
    parts: '支持包的各部分',
    sum: '共 {n} 个部分，{size}，收集于 {time}',
    removed: '无需移除内容 | 已移除 1 处 | 已移除 {n} 处',
    cut: '已截短',
    empty: '空',
    about: {
      app: '版本、系统和当前外壳的能力',
      settings: '应用设置',
      profiles: '配置：名称和地址，不含密钥',
      service: '服务状态',
      serviceLog: '服务日志的最后几行',
      appLog: '应用自身日志的最后几行',
      listeners: '监听端口，以及哪些使用 TLS',
      obs: 'OBS 连接状态',
      data: '数据文件夹：数量、大小、剩余磁盘空间',
      keychain: '密钥的保存位置',
      health: '最近 10 分钟的推流健康情况',
    },
    readMe: 'Sidestage 支持包，收集于 {time}',
  },
}
