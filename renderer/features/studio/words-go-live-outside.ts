import type { Words } from '../../format/languages.ts'

/** Words of the check on what leaves the computer. */
export const goLiveOutsideWords = {
  share: {
    ok_computer: { en: 'Only browsers on this computer, and they get in.', zh: '仅限本机的浏览器，可以观看。' },
    ok_computerThere: {
      en: 'Only browsers on the computer of the service, and they get in.',
      zh: '仅限服务所在电脑的浏览器，可以观看。',
    },
    ok_home: { en: 'The home network gets in.', zh: '家庭网络可以观看。' },
    ok_port: { en: 'The internet gets in, to this computer.', zh: '互联网可直接到本机观看。' },
    ok_portThere: {
      en: 'The internet gets in, to the computer of the service.',
      zh: '互联网可直接到服务所在的电脑观看。',
    },
    ok_proxy: { en: 'The internet gets in, by the proxy.', zh: '互联网可经代理观看。' },
    closed: { en: 'Turned off for everybody: nobody gets in.', zh: '已对所有人关闭：无人能观看。' },
    nobody: {
      en: 'Only named links get in, and there is none that is good.',
      zh: '仅限指定链接，但目前没有有效的链接。',
    },
    measuring: {
      en: 'It is being measured: there is no link until then.',
      zh: '正在检查：完成之前没有链接。',
    },
    fault_computer: { en: 'Not even browsers on this computer get in: {why}.', zh: '本机的浏览器也无法观看：{why}。' },
    fault_computerThere: {
      en: 'Not even browsers on the computer of the service get in: {why}.',
      zh: '服务所在电脑的浏览器也无法观看：{why}。',
    },
    fault_home: { en: 'The home network does not get in: {why}.', zh: '家庭网络无法观看：{why}。' },
    fault_port: {
      en: 'The internet, to this computer, does not get in: {why}.',
      zh: '互联网无法直达本机观看：{why}。',
    },
    fault_portThere: {
      en: 'The internet, to the computer of the service, does not get in: {why}.',
      zh: '互联网无法直达服务所在的电脑观看：{why}。',
    },
    fault_proxy: {
      en: 'The internet, behind a proxy, does not get in: {why}.',
      zh: '互联网无法经代理观看：{why}。',
    },
    unsaid: { en: 'no reason was told', zh: '未说明原因' },
    expired: {
      en: 'The certificate has expired: browsers refuse the page.',
      zh: '证书已过期：浏览器会拒绝打开页面。',
    },
    expires: {
      en: 'The certificate ends in {n} day. | The certificate ends in {n} days.',
      zh: '证书将在 {n} 天后到期。 | 证书将在 {n} 天后到期。',
    },
    certificate: {
      en: 'The new certificate cannot be used; the earlier one still is.',
      zh: '新证书无法使用，仍在使用先前的证书。',
    },
    plain: {
      en: 'Not encrypted: anyone on the way can read and change the broadcast.',
      zh: '未加密：途中任何人都能读取和篡改直播。',
    },
    unchecked: { en: 'Not checked from outside yet.', zh: '尚未从外部检查。' },
    none: { en: 'A hosted service does not tell it.', zh: '托管服务不提供。' },
  },
  targets: {
    ok: { en: 'Goes on to {n} target. | Goes on to {n} targets.', zh: '转推到 {n} 个目标。 | 转推到 {n} 个目标。' },
    nowhere: { en: 'Sent nowhere else, as set.', zh: '不转推到别处，符合设置。' },
    refused: { en: '{name} refused the push.', zh: '{name} 拒绝了推流。' },
    refusedSays: { en: '{name} refused the push: {answer}', zh: '{name} 拒绝了推流：{answer}' },
    noKey: { en: '{name} has no stream key.', zh: '{name} 没有推流密钥。' },
    troubled: { en: 'The push does not get through to {name} now.', zh: '推流目前无法送达 {name}。' },
    over: {
      en: 'Targets need {needs} Mbit/s, more than the {budget} Mbit/s that may go up.',
      zh: '转推需要 {needs} Mbit/s，超过上行限额 {budget} Mbit/s。',
    },
    near: {
      en: 'Targets need {needs} of the {budget} Mbit/s that may go up: little is left for viewers.',
      zh: '转推需要 {needs} Mbit/s，上行限额 {budget} Mbit/s，留给观众的已不多。',
    },
    none: { en: 'A hosted service does not tell it.', zh: '托管服务不提供。' },
  },
} satisfies Words
