import type { Words } from '../../format/languages.ts'

/** Words of the Studio before a broadcast. */
export const beforeWords = {
  before: {
    title: { en: 'Get on air', zh: '开播准备' },
    steps: {
      none: { en: 'All set', zh: '已就绪' },
      one: { en: 'One step left', zh: '还差一步' },
      two: { en: 'Two steps left', zh: '还差两步' },
    },
    encoder: { en: 'Encoder', zh: '编码器' },
    record: { en: 'Record every push', zh: '每次推流都录制' },
    foot: {
      en: 'Ready when the encoder is. Nothing here stops you from starting.',
      zh: '编码器就绪即可开播，这里没有一项会拦住你。',
    },
    waiting: { en: 'Waiting for a picture', zh: '等待画面' },
    waitingText: {
      en: 'It appears here about a second after the encoder starts. From then on whoever can watch sees it too.',
      zh: '编码器开始推流约一秒后，画面会出现在这里。从那时起，能观看的人也会看到。',
    },
    connect: { en: 'Connect OBS, or paste Server and Key into it', zh: '连接 OBS，或把服务器和密钥粘贴进去' },
    connectText: { en: 'OBS: Settings › Stream › Service “Custom…”', zh: 'OBS 的推流设置中，服务选“自定义…”' },
    look: { en: 'Look through “Get on air”', zh: '看一遍“开播准备”' },
    lookText: { en: 'Switches keep their place for the next show', zh: '开关会保留到下一场' },
    start: { en: 'Press Start Streaming in OBS', zh: '在 OBS 中点“开始推流”' },
    startText: { en: 'The tally turns from Idle to On air', zh: '状态由“空闲”变为“直播中”' },
    called: {
      label: { en: 'Title for viewers', zh: '观众看到的标题' },
      count: { en: '{n} / {most}', zh: '{n} / {most}' },
      counted: { en: 'Characters: {n} of {most}', zh: '{n} 个字符，最多 {most} 个' },
      long: { en: 'The title is too long to save: {n} of {most}.', zh: '标题过长，未保存：{n} / {most}。' },
      saved: { en: 'Saved', zh: '已保存' },
      failed: { en: 'The title could not be saved.', zh: '标题未能保存。' },
    },
    check: {
      counting: { en: 'Checking, {ok} of {all}', zh: '检查中，{ok} / {all}' },
      good: { en: 'All good · {n} check | All good · {n} checks', zh: '全部正常 · {n} 项' },
      ready: { en: '{ok} of {all} ready, {n} to look at', zh: '{all} 项中 {ok} 项就绪，{n} 项要看' },
      more: { en: 'Show every check', zh: '显示全部检查' },
      less: { en: 'Fold the checks', zh: '收起检查' },
      leave: { en: 'Leave it tonight', zh: '今晚先不管' },
    },
    watch: {
      link: { en: 'Anyone with the link', zh: '有链接的人' },
      more: { en: 'More…', zh: '更多…' },
      address: { en: 'Address of the watch page', zh: '观看页地址' },
      copy: { en: 'Copy the address', zh: '复制地址' },
      open: { en: 'Open the address', zh: '打开地址' },
    },
    waitingPeople: { en: '{n} person waiting | {n} people waiting', zh: '{n} 人在等' },
    lastPeak: { en: 'peak {n}', zh: '最高 {n} 人' },
    lastFiles: { en: '{n} file | {n} files', zh: '{n} 个文件' },
    notRecorded: { en: 'not recorded', zh: '未录制' },
    allRecordings: { en: 'All recordings', zh: '全部录像' },
  },
} satisfies Words
