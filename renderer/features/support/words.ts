import type { Words } from '../../format/languages.ts'

/** Words of the licences. */
export const supportWords = {
  support: {
    licences: {
      title: { en: 'Licences', zh: '许可证' },
      own: {
        en: 'Sidestage itself is under the MIT licence. It is made of these packages, each under its own.',
        zh: 'Sidestage 采用 MIT 许可证。它由下列软件包组成，各有自己的许可证。',
      },
      show: { en: 'Show the licences', zh: '显示许可证' },
      failed: {
        en: 'The list of licences could not be read. It is made with the build: build again.',
        zh: '无法读取许可证列表。列表随构建生成，请重新构建。',
      },
      search: { en: 'Package or licence', zh: '软件包或许可证' },
      count: { en: '{n} of {all} packages', zh: '{all} 个软件包中的 {n} 个' },
      unnamed: { en: 'not named', zh: '未注明' },
    },
  },
} satisfies Words
