import { platform } from './platform.ts';
import { PROD } from './standards/stage.ts';

export default platform(PROD);
