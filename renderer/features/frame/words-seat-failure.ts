import type { Words } from '../../format/languages.ts'

/** Words of refusals at the seat of a moderator. */
export const seatFailureWords = {
  seatFailure: {
    code: {
      sentence: {
        en: 'The service answered code {code}, which is not in its list.',
        zh: '服务返回了代码 {code}，不在其列表中。',
      },
      next: { en: 'Try again; if it stays so, tell the streamer.', zh: '请重试，若仍失败请告诉主播。' },
    },
    unreachable: {
      sentence: {
        en: 'The service of this room did not answer the streamer’s app; nothing was changed.',
        zh: '聊天室的服务没有应答主播的应用，未做任何更改。',
      },
      next: { en: 'Try again; if it stays so, tell the streamer.', zh: '请重试，若仍失败请告诉主播。' },
    },
    refused: {
      sentence: {
        en: 'The service of this room is not running where the streamer’s app looks for it; nothing was changed.',
        zh: '聊天室的服务没有在主播应用所用的地址运行，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    away: {
      sentence: {
        en: 'The service of this room is not available at the moment.',
        zh: '聊天室的服务暂时不可用。',
      },
      next: {
        en: 'Try again in a moment. If it stays so, tell the streamer.',
        zh: '请稍后重试；若仍如此，请告诉主播。',
      },
    },
    plain: {
      sentence: {
        en: 'The streamer’s app has an address of the service without https://; nothing was changed.',
        zh: '主播的应用中服务地址没有使用 https://，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    certificate: {
      sentence: {
        en: 'The streamer’s app did not accept the certificate of the service; nothing was changed.',
        zh: '主播的应用未接受服务的证书，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    clock: {
      sentence: {
        en: 'The clock of the streamer’s computer is off by {seconds} s, so the service refused.',
        zh: '主播电脑的时间相差 {seconds} 秒，因此服务拒绝了操作。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    signature: {
      sentence: {
        en: 'The service refused the AppSecret of the streamer’s app.',
        zh: '服务拒绝了主播应用的 AppSecret。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    secret: {
      sentence: {
        en: 'The streamer’s app has no AppSecret for this service.',
        zh: '主播的应用没有此服务的 AppSecret。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    down: {
      sentence: {
        en: 'The service on the streamer’s computer is not running; nothing was changed.',
        zh: '主播电脑上的服务没有运行，未做任何更改。',
      },
      next: { en: 'It mostly restarts by itself; then try again.', zh: '它通常会自行重启，之后再试。' },
    },
    late: {
      sentence: {
        en: 'The service on the streamer’s computer did not answer in time.',
        zh: '主播电脑上的服务没有及时应答。',
      },
      next: {
        en: 'It may be busy. Look whether it was done, then try again.',
        zh: '服务可能正忙。请先确认是否已生效，再重试。',
      },
    },
    notOurs: {
      sentence: {
        en: 'The service of this room gave an answer that the streamer’s app does not know.',
        zh: '聊天室的服务给出了主播的应用不认识的应答。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    folder: {
      sentence: {
        en: 'The streamer’s computer cannot read its data; nothing was changed.',
        zh: '主播的电脑无法读取数据，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    readOnly: {
      sentence: {
        en: 'The disk of the streamer’s computer can only be read; nothing was changed.',
        zh: '主播电脑的磁盘只能读取，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    broken: {
      sentence: {
        en: 'The disk of the streamer’s computer answers with errors; nothing was changed.',
        zh: '主播电脑的磁盘报告错误，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    full: {
      sentence: {
        en: 'The disk of the streamer’s computer is full; nothing was changed.',
        zh: '主播电脑的磁盘已满，未做任何更改。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    unlogged: {
      sentence: {
        en: 'It was done and holds, but the log of actions could not be written.',
        zh: '操作已生效，但操作记录无法写入。',
      },
      next: { en: 'Tell the streamer: the disk may be full.', zh: '请告诉主播：磁盘可能已满。' },
    },
    keychain: {
      sentence: {
        en: 'The streamer’s computer did not give out a secret that it keeps.',
        zh: '主播的电脑没有给出其保存的密钥。',
      },
      next: { en: 'Tell the streamer.', zh: '请告诉主播。' },
    },
    internal: {
      sentence: {
        en: 'The streamer’s app had a fault; nothing was changed.',
        zh: '主播的应用内部出错，未做任何更改。',
      },
      next: { en: 'Try again; if it stays so, tell the streamer.', zh: '请重试，若仍失败请告诉主播。' },
    },
  },
} satisfies Words
