/** Words of the licences, in English. */
export const supportEn = {
  support: {
    licences: {
      title: 'Licences',
      own: 'Sidestage itself is under the MIT licence. It is made of these packages, each under its own.',
      show: 'Show the licences',
      failed: 'The list of licences could not be read. It is made with the build: build again.',
      search: 'Package or licence',
      count: '{n} of {all} packages',
      unnamed: 'not named',
    },
  },
} as const
