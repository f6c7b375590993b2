/** English for what is handed to whoever helps, and for the licences. */
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
    bundle: {
      title: 'Support bundle',
      lead: 'One text file for whoever helps you: versions, settings, the state of profiles and listeners, and the newest log lines. It has no secret, no chat and no account name, and it is shown before it is saved. It is sent nowhere.',
      addresses: 'With host names and addresses',
      accids: 'With account ids',
      make: 'Show what is inside',
      again: 'Make it again',
      inside: 'What is inside',
      save: 'Save a support bundle',
      size: '{size}, {masked} values masked',
    },
  },
} as const
