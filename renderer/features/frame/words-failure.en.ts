/** English for refusals. */
export const failureEn = {
  failure: {
    code: {
      sentence: 'The service answered code {code}, which is not in its list.',
      next: 'Try again, then look at the log.',
    },
    missing: {
      sentence: 'The service does not know an account or thing that was named.',
      next: 'Check the spelling; Details names it.',
    },
    present: { sentence: 'An account of this name exists already.', next: 'Choose another name.' },
    changed: {
      sentence: 'Somebody else has changed it meanwhile; nothing was changed.',
      next: 'Look at it as it is now.',
    },
    decided: {
      sentence: 'Somebody else had decided this line already; nothing was changed.',
      next: 'Look at the lines that still wait.',
    },
    outlasted: {
      sentence: 'This person is muted for longer already; nothing was changed.',
      next: 'Shorten that mute on purpose, or leave it.',
    },
    untold: {
      sentence: 'Whether this moderator still is one could not be found out yet; nothing was changed.',
      next: 'Try again: the service has many members in this room, and the search goes on where it was.',
    },
    unreachable: { sentence: 'The host did not answer.', next: "Check the address and this computer's network." },
    refused: {
      sentence: 'Nothing listens at this address: the connection was refused.',
      next: 'Check the host and the port, or ask who runs the service whether it is running.',
    },
    certificate: {
      sentence: "The host's certificate was not accepted; nothing was sent.",
      next: 'Check the address, or ask who runs the host to renew the certificate.',
    },
    clock: {
      sentence: "This computer's clock is off by {seconds} s, so the signature was refused.",
      next: 'Set the clock, then check again.',
    },
    signature: {
      sentence: 'The service refused the signature and the clock is right, so the AppSecret is wrong.',
      next: 'Enter the AppSecret again.',
    },
    secret: { sentence: 'No AppSecret is kept for this profile.', next: 'Open Settings, Profiles and enter it.' },
    down: {
      sentence: 'The service on this computer is not running.',
      next: 'It restarts by itself unless the app says otherwise. The cause is in its log.',
    },
    late: {
      sentence: 'The service on this computer did not answer in time.',
      next: 'It may be busy. Try again in a moment.',
    },
    notOurs: {
      sentence: 'The host answered, but not with this API.',
      next: 'Check the live and the messaging base URL.',
    },
    absent: { sentence: 'This no longer exists.', next: 'Refresh and look again.' },
    forbidden: { sentence: 'Only the one who runs this stream can do this.', next: 'Ask them.' },
    folder: { sentence: 'The data folder cannot be read.', next: 'Connect its disk, then try again.' },
    readOnly: {
      sentence: 'The disk with the data of Sidestage can only be read; nothing was changed.',
      next: 'Make it writable, then try again.',
    },
    broken: {
      sentence: 'The disk with the data of Sidestage answers with errors; nothing was changed.',
      next: 'Check the disk, then try again.',
    },
    full: {
      sentence: 'The disk with the data of Sidestage is full; nothing was changed.',
      next: 'Make room on it, then try again.',
    },
    unlogged: {
      sentence: 'It was done and holds, but the log of actions could not be written.',
      next: 'Make room on the disk, or make it writable; the log has this action without its outcome.',
    },
    keychain: { sentence: 'The keychain of this computer refused.', next: 'Unlock it, then try again.' },
    internal: { sentence: 'Sidestage had a fault; nothing was changed.', next: 'Try again, then look at the log.' },
    input: {
      sentence:
        'What was entered cannot be taken: it is too long, has nothing that can be seen, or is not of the form that is asked for.',
      next: 'Correct it; Details says which value.',
    },
    offline: {
      sentence: 'The page is not connected to Sidestage.',
      next: 'It connects again by itself; then try again.',
    },
  },
  seatFailure: {
    code: {
      sentence: 'The service answered code {code}, which is not in its list.',
      next: 'Try again; if it stays so, tell the streamer.',
    },
    unreachable: {
      sentence: 'The service of this room did not answer the streamer’s app; nothing was changed.',
      next: 'Try again; if it stays so, tell the streamer.',
    },
    refused: {
      sentence: 'The service of this room is not running where the streamer’s app looks for it; nothing was changed.',
      next: 'Tell the streamer.',
    },
    certificate: {
      sentence: 'The streamer’s app did not accept the certificate of the service; nothing was changed.',
      next: 'Tell the streamer.',
    },
    clock: {
      sentence: 'The clock of the streamer’s computer is off by {seconds} s, so the service refused.',
      next: 'Tell the streamer.',
    },
    signature: { sentence: 'The service refused the AppSecret of the streamer’s app.', next: 'Tell the streamer.' },
    secret: { sentence: 'The streamer’s app has no AppSecret for this service.', next: 'Tell the streamer.' },
    down: {
      sentence: 'The service on the streamer’s computer is not running; nothing was changed.',
      next: 'It mostly restarts by itself; then try again.',
    },
    late: {
      sentence: 'The service on the streamer’s computer did not answer in time.',
      next: 'It may be busy. Look whether it was done, then try again.',
    },
    notOurs: {
      sentence: 'The service of this room gave an answer that the streamer’s app does not know.',
      next: 'Tell the streamer.',
    },
    folder: {
      sentence: 'The streamer’s computer cannot read its data; nothing was changed.',
      next: 'Tell the streamer.',
    },
    readOnly: {
      sentence: 'The disk of the streamer’s computer can only be read; nothing was changed.',
      next: 'Tell the streamer.',
    },
    broken: {
      sentence: 'The disk of the streamer’s computer answers with errors; nothing was changed.',
      next: 'Tell the streamer.',
    },
    full: { sentence: 'The disk of the streamer’s computer is full; nothing was changed.', next: 'Tell the streamer.' },
    unlogged: {
      sentence: 'It was done and holds, but the log of actions could not be written.',
      next: 'Tell the streamer: the disk may be full.',
    },
    keychain: {
      sentence: 'The streamer’s computer did not give out a secret that it keeps.',
      next: 'Tell the streamer.',
    },
    internal: {
      sentence: 'The streamer’s app had a fault; nothing was changed.',
      next: 'Try again; if it stays so, tell the streamer.',
    },
  },
} as const
