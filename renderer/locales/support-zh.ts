import type { Messages } from './messages.ts'
import type { supportEn } from './support-en.ts'

/** Simplified Chinese for what is handed to whoever helps, and for the licences. */
export const supportZh: Pick<Messages, keyof typeof supportEn> = {
  support: {
    licences: {
      title: '许可证',
      own: 'Sidestage 采用 MIT 许可证。它由下列软件包组成，各有自己的许可证。',
      show: '显示许可证',
      failed: '无法读取许可证列表。列表随构建生成，请重新构建。',
      search: '软件包或许可证',
      count: '{all} 个软件包中的 {n} 个',
      unnamed: '未注明',
    },
    bundle: {
      title: '支持包',
      lead: '给协助者的一个文本文件：版本、设置、配置和监听的状态，以及最新的日志。其中没有密钥、聊天内容和帐号名，保存前会先显示，不会发送到任何地方。',
      addresses: '包含主机名和地址',
      accids: '包含帐号 id',
      make: '显示其中的内容',
      again: '重新生成',
      inside: '其中的内容',
      save: '保存支持包',
      size: '{size}，已遮盖 {masked} 处',
    },
  },
}
