/** English for rooms moderated from here. */
export const joiningEn = {
  joining: {
    title: 'Rooms I moderate',
    lead: 'Rooms of streamers who invited you. They are shown as the streamer’s computer shows them; nothing of this computer is reached from there.',
    none: 'None yet. Paste the link of an invitation to join the first one.',
    as: 'as {name}',
    last: 'Last shown {time}',
    unencrypted: 'on this computer',
    token: {
      session: 'The token is kept until this app ends.',
      missing: 'The token is not kept any more. It is asked for when you open the room.',
    },
    open: 'Open',
    forget: {
      do: 'Forget…',
      title: 'Forget {room}?',
      body: 'The token is deleted from this computer, and open pages of the room close. At the streamer your seat stays: joining again needs the token, and no new invitation.',
      now: 'Forget',
    },
    form: {
      title: 'Join as moderator',
      lead: 'Nothing is sent before you press Join.',
      link: 'Link of the invitation',
      linkHelp: 'It begins with sidestage:// or https://. The first one also carries the fingerprint.',
      linkFault: 'This is no link of an invitation.',
      far: 'Without encryption only a room on this computer can be joined. Ask the streamer for the link that begins with sidestage://.',
      host: 'Streamer’s computer',
      fingerprint: 'SHA-256 fingerprint of its certificate',
      fingerprintHelp:
        'The streamer sees it in Settings › Moderators. Take it by another way than the link, such as a call.',
      fingerprintFault: '64 hex digits, with or without colons.',
      compared: 'Compared before anything is sent',
      accid: 'Account (accid)',
      accidFault: "1 to 32 small letters, digits or _ {'@'} . -",
      token: 'Token',
      tokenHelp: 'Goes to the keychain of this computer, so that the next time is one click.',
      tokenHelpSession: 'Kept in memory until Sidestage ends, because there is no keychain here.',
      code: 'Code of the invitation',
      codeHelp: 'It comes with the link and is needed the first time only.',
      missing: 'Needed',
      do: 'Join',
    },
    trouble: {
      offline: {
        title: 'The streamer’s computer does not answer',
        text: 'It is asleep, away, or not reachable from here. This page tries again by itself.',
      },
      changed: {
        title: 'Another certificate than the one of the invitation',
        text: 'Nothing was sent. Either the streamer has made a new certificate, or somebody else answers at this address. Ask the streamer, and join again with a new link.',
      },
      refused: {
        title: 'Account, token or code were refused',
        text: 'The code is used up or over, the token was replaced, or it was mistyped. Check them, or ask the streamer to invite you again.',
      },
      ended: {
        title: 'You are out of this room',
        text: 'Your seat was taken back, or your token was replaced. Enter the new token, or ask the streamer to invite you again.',
      },
      token: {
        title: 'The token is not on this computer any more',
        text: 'Enter the token that the streamer gave you.',
      },
      notOurs: {
        title: 'No Sidestage answers there',
        text: 'Something else answers at this address, or the streamer’s listener for moderators is off. Nothing secret was sent.',
      },
      elsewhere: {
        title: 'The streamer’s computer does not know this address',
        text: 'It was reached by a name or port that is not its own. The streamer adds the name to the certificate, and forwards the same port.',
      },
      plain: {
        title: 'Not encrypted',
        text: 'Without encryption only a room on this computer is joined. Ask the streamer for the link that begins with sidestage://.',
      },
      full: {
        title: 'The disk of the streamer’s computer is full or cannot be written',
        text: 'Account and token are right, and nobody can sign in there now. Ask the streamer to look at the disk, then try again.',
      },
      gone: { title: 'This room was forgotten here', text: 'Join it again with an invitation.' },
    },
    wait: 'Several sign-ins failed. The next one counts in {n} s.',
    again: 'Try again',
    signIn: 'Sign in',
    back: 'Rooms I moderate',
    trying: 'Trying again…',
  },
}
