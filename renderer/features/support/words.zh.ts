import type { Shape } from '../../format/message-shape.ts'
import type { supportEn } from './words.en.ts'

/** Words of the licences, in Simplified Chinese. */
export const supportZh: Shape<typeof supportEn> = {
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
  },
}
